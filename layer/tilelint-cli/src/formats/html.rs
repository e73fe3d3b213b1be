//! One page that holds everything: it asks nothing of the network.

mod calls;
mod graph;
mod parts;

use std::fmt::Write as _;

use tilelint::report::{Report, summary};
use tilelint::rules;

use super::escape::markup;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// The browser itself then refuses every request.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
     img-src data:";

/// Writes the page.
pub fn render(report: &Report) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>tilelint report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    head(&mut out, report);
    parts::bandwidth(&mut out, report);
    graph::graph(&mut out, report);
    parts::findings(&mut out, report);
    parts::passes(&mut out, report);
    if let Some(time) = &report.api_time {
        calls::calls(&mut out, time);
    }
    pages(&mut out, report);
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

fn head(out: &mut String, report: &Report) {
    let text = summary(report, None);
    let first = text.lines().next().unwrap_or_default();
    let _ = writeln!(out, "<h1>{}</h1>", markup(first));
    let devices: Vec<String> = report
        .devices
        .iter()
        .map(|device| device.name.clone().unwrap_or_else(|| device.id.clone()))
        .collect();
    let program = report.run.get("program").and_then(serde_json::Value::as_str);
    let program = program.map_or(String::new(), |name| format!("{}, ", markup(name)));
    let version = markup(&report.tool.version);
    let devices = markup(&devices.join(", "));
    let _ = writeln!(
        out,
        "<p class=\"soft\">{program}{devices}; tilelint {version}. Bytes are \
         what the program asks for each frame, uncompressed.</p>"
    );
}

/// The pages of the rules that fired.
fn pages(out: &mut String, report: &Report) {
    let mut names: Vec<&str> = report.findings.iter().map(|f| f.rule.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return;
    }
    out.push_str("<h2 id=\"rules\">Rules</h2>\n");
    for rule in names.iter().filter_map(|name| rules::by_name(name)) {
        let (name, about) = (rule.name, markup(rule.summary()));
        let page = markup(rule.page.trim_end());
        let _ = writeln!(
            out,
            "<details id=\"rule-{name}\"><summary><code>{name}</code> {about}</summary>\
             <pre>{page}</pre></details>"
        );
    }
}

#[cfg(test)]
mod tests {
    use tilelint::report::{ApiCall, ApiTime, Edge, Finding, Pass, Report};

    #[test]
    fn names_stay_text_and_nothing_is_asked_of_the_network() {
        let name = "</script><img src=x onerror='y'>&\"";
        let pass = Pass { key: "k".to_owned(), name: name.to_owned(), ..Pass::default() };
        let edge = Edge {
            from: "k".to_owned(),
            to: "k".to_owned(),
            image: name.to_owned(),
            ..Edge::default()
        };
        let mut finding = Finding {
            rule: "msaa-store".to_owned(),
            message: name.to_owned(),
            targets: vec![name.to_owned()],
            ..Finding::default()
        };
        finding.location.pass = Some(name.to_owned());
        finding.location.pass_key = Some("k".to_owned());
        let call = ApiCall { name: name.to_owned(), count: 1, ..ApiCall::default() };
        let blocked = ApiCall { blocked: Some(name.to_owned()), ..call.clone() };
        let api_time = ApiTime { frames: 1, nanoseconds: 1, calls: vec![call, blocked] };
        let report = Report {
            api_time: Some(api_time),
            passes: vec![pass],
            edges: vec![edge],
            findings: vec![finding],
            ..Report::default()
        };
        let page = super::render(&report);
        assert!(!page.contains("<img"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1, "{page}");
        let shown = page.replace("default-src", "").replace("img src=x", "");
        for request in [" src=", "@import", "fetch(", "href=\"http", "<iframe"] {
            assert!(!shown.contains(request), "{request}");
        }
        assert!(page.contains("1 finding</text>"), "the pass is marked");
    }
}
