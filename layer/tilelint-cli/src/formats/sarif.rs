//! SARIF 2.1.0.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tilelint::finding::Level;
use tilelint::report::{Finding, Report, Suppressed};
use tilelint::rule::Rule;
use tilelint::rules;

use super::{NO_PLACE, at, details};
use crate::baseline::Known;
use crate::place::place;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the document.
pub fn render(report: &Report, gone: &[&Known]) -> String {
    let found = report.findings.iter().map(|finding| finding.rule.as_str());
    let suppressed = report.suppressed.iter().map(|finding| finding.rule.as_str());
    let absent = gone.iter().map(|known| known.rule.as_str());
    let mut names: Vec<&str> = found.chain(suppressed).chain(absent).collect();
    names.sort_unstable();
    names.dedup();
    let index: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let mut results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| result(finding, index[finding.rule.as_str()]))
        .collect();
    results.extend(report.suppressed.iter().map(|f| suppressed_result(f, index[f.rule.as_str()])));
    results.extend(gone.iter().map(|known| absent_result(known, index[known.rule.as_str()])));
    let rules: Vec<Value> = names.iter().map(|name| rule(name)).collect();
    let complete = report.run.get("complete") != Some(&json!(false));
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "tilelint",
                "version": report.tool.version,
                "semanticVersion": report.tool.version,
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": complete}],
            "results": results,
        }]
    });
    format!("{document:#}\n")
}

fn rule(name: &str) -> Value {
    let Some(rule) = rules::by_name(name) else { return json!({"id": name}) };
    json!({
        "id": name,
        "name": pascal(name),
        "shortDescription": {"text": rule.summary()},
        "fullDescription": {"text": rule.summary()},
        "help": {"text": rule.page.trim_end(), "markdown": rule.page.trim_end()},
        "defaultConfiguration": configuration(rule),
        "properties": {"tags": ["performance", "vulkan", "tiler", rule.group.name()]},
    })
}

fn configuration(rule: &Rule) -> Value {
    json!({"enabled": rule.level != Level::Allow, "level": level(rule.level.word())})
}

fn pascal(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map_or(String::new(), |first| {
            first.to_ascii_uppercase().to_string() + letters.as_str()
        })
    };
    name.split('-').map(part).collect()
}

fn level(word: &str) -> &'static str {
    match word {
        "deny" | "forbid" => "error",
        "warn" => "warning",
        "allow" => "none",
        _ => "note",
    }
}

fn result(finding: &Finding, rule_index: usize) -> Value {
    let text = [vec![finding.message.clone()], details(finding)].concat().join("\n");
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": level(&finding.level),
        "message": {"text": text},
        "locations": [location(finding)],
        "partialFingerprints": fingerprints(&finding.fingerprint),
        "occurrenceCount": finding.count.max(1),
    });
    let baseline = match finding.status.as_deref() {
        Some("known") => Some("unchanged"),
        Some("new") => Some("new"),
        _ => None,
    };
    if let Some(baseline) = baseline {
        result["baselineState"] = json!(baseline);
    }
    result["properties"] = json!({
        "confidence": finding.confidence,
        "targets": finding.targets,
        "loadBytes": finding.cost.load_bytes,
        "storeBytes": finding.cost.store_bytes,
        "memoryBytes": finding.cost.memory_bytes,
        "onlyUnsteady": finding.only_unsteady,
    });
    result
}

/// GitHub wants its own key; a forge that knows neither hashes the line instead.
fn fingerprints(fingerprint: &str) -> Value {
    json!({
        "primaryLocationLineHash": format!("{fingerprint}:1"),
        "tilelint/v1": fingerprint,
    })
}

fn location(finding: &Finding) -> Value {
    let physical = match place(finding) {
        Some(place) => json!({
            "artifactLocation": {"uri": uri(&place.file)},
            "region": {
                "startLine": place.line,
                "startColumn": place.start,
                "endColumn": place.end.max(place.start + 1),
                "snippet": {"text": snippet(finding, place.line)},
            },
        }),
        None => no_place(),
    };
    let mut location = json!({"physicalLocation": physical});
    let at_words = at(finding);
    if !at_words.is_empty() {
        location["message"] = json!({"text": at_words});
    }
    let names = [(&finding.location.pass, "function"), (&finding.location.image, "object")];
    let logical: Vec<Value> = names
        .iter()
        .filter_map(|(name, kind)| Some(json!({"name": name.as_ref()?, "kind": kind})))
        .collect();
    if !logical.is_empty() {
        location["logicalLocations"] = Value::from(logical);
    }
    location
}

fn no_place() -> Value {
    json!({"artifactLocation": {"uri": NO_PLACE}, "region": {"startLine": 1}})
}

fn snippet(finding: &Finding, line: u32) -> &str {
    let line = finding.quote.lines.iter().find(|quoted| quoted.line == Some(line));
    line.map_or("", |line| &line.text)
}

/// A path as a URI: what is not unreserved is escaped, byte by byte.
fn uri(path: &str) -> String {
    let mut out = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn suppressed_result(finding: &Suppressed, rule_index: usize) -> Value {
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), json!(finding.rule));
    result.insert("ruleIndex".to_owned(), json!(rule_index));
    result.insert("level".to_owned(), json!("note"));
    let text = format!("suppressed by {}: {}", finding.by, finding.reason);
    result.insert("message".to_owned(), json!({"text": text}));
    result.insert("locations".to_owned(), json!([{"physicalLocation": no_place()}]));
    result.insert("partialFingerprints".to_owned(), fingerprints(&finding.fingerprint));
    let suppression =
        json!({"kind": "external", "status": "accepted", "justification": finding.reason});
    result.insert("suppressions".to_owned(), json!([suppression]));
    Value::from(result)
}

/// What the baseline lists and this run did not find.
fn absent_result(known: &Known, rule_index: usize) -> Value {
    let names = [(&known.pass, "function"), (&known.object, "object")];
    let names = names.iter().filter(|(name, _)| !name.is_empty());
    let logical: Vec<Value> =
        names.map(|(name, kind)| json!({"name": name, "kind": kind})).collect();
    let mut location = json!({"physicalLocation": no_place()});
    if !logical.is_empty() {
        location["logicalLocations"] = Value::from(logical);
    }
    let message = match known.message.as_str() {
        "" => format!("gone: {}", known.rule),
        message => format!("gone: {message}"),
    };
    json!({
        "ruleId": known.rule,
        "ruleIndex": rule_index,
        "kind": "pass",
        "level": "none",
        "message": {"text": message},
        "locations": [location],
        "partialFingerprints": fingerprints(&known.fingerprint),
        "baselineState": "absent",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_take_their_form() {
        assert_eq!(pascal("msaa-store"), "MsaaStore");
        assert_eq!(uri("out/a b.calls"), "out/a%20b.calls");
        assert_eq!(uri("/tmp/ä"), "file:///tmp/%C3%A4");
    }
}
