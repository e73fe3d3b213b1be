//! The sections of the page beside the graph.

use std::fmt::Write as _;

use tilelint::report::{Edit, Finding, Pass, Report, human_bytes, human_rate};

use super::super::escape::markup;
use super::super::text::marks_of;
use super::super::{at, cost};
use super::graph::{shown, traffic as traffic_of};
use crate::place::place;
use crate::verdict::is_known;

/// Writes what is asked for and what of it is avoidable, a frame and a second of each target.
pub fn bandwidth(out: &mut String, report: &Report) {
    let traffic = &report.traffic;
    let (Some(load), Some(store)) = (traffic.load_bytes, traffic.store_bytes) else { return };
    let total = load + store;
    out.push_str("<h2 id=\"bandwidth\">Bandwidth</h2>\n<div class=\"bars\">\n");
    let avoidable = traffic.avoidable_bytes.min(total);
    let hz = report.targets.iter().map(|target| target.refresh_hz).max().unwrap_or(60).max(1);
    let mut bar = |name: &str, bytes: u64, waste: u64, of: u64, text: &str| {
        let share = |part: u64, of: u64| (part * 1000).checked_div(of).unwrap_or(0) as f64 / 10.0;
        let _ = writeln!(
            out,
            "<span>{}</span><div class=\"bar\"><div style=\"width:{}%\">\
             <i style=\"width:{}%\"></i></div></div><span>{text}</span>",
            markup(name),
            share(bytes, of),
            share(waste, bytes)
        );
    };
    bar("loads", load, 0, total, &human_bytes(load));
    bar("stores", store, 0, total, &human_bytes(store));
    bar("avoidable", avoidable, avoidable, total, &human_bytes(avoidable));
    for target in &report.targets {
        let rate = human_rate(total, target.refresh_hz);
        let saved = human_rate(avoidable, target.refresh_hz);
        let (all, most) = (total * u64::from(target.refresh_hz), total * u64::from(hz));
        let waste = avoidable * u64::from(target.refresh_hz);
        bar(&target.name, all, waste, most, &format!("{rate}, {saved} avoidable"));
    }
    out.push_str("</div>\n");
}

/// Writes the filters and the findings, by rule.
pub fn findings(out: &mut String, report: &Report) {
    out.push_str("<h2 id=\"findings\">Findings</h2>\n");
    filters(out, report);
    let mut rules: Vec<&str> = Vec::new();
    for finding in &report.findings {
        if !rules.contains(&finding.rule.as_str()) {
            rules.push(&finding.rule);
        }
    }
    for rule in rules {
        let of_rule = report.findings.iter().filter(|finding| finding.rule == rule);
        let name = markup(rule);
        let _ = writeln!(
            out,
            "<section class=\"group\"><h3><a href=\"#rule-{name}\"><code>{name}</code></a></h3>"
        );
        of_rule.for_each(|finding| one(out, finding));
        out.push_str("</section>\n");
    }
    if report.findings.is_empty() {
        out.push_str("<p>None.</p>\n");
    }
}

fn filters(out: &mut String, report: &Report) {
    out.push_str("<form id=\"filters\">\n");
    let mut choice = |name: &str, mut options: Vec<(String, String)>| {
        options.sort();
        options.dedup();
        let _ = write!(out, "<label>{name}<select name=\"{name}\"><option value=\"\">all</option>");
        for (shown, value) in options {
            let (shown, value) = (markup(&shown), markup(&value));
            let _ = write!(out, "<option value=\"{value}\">{shown}</option>");
        }
        out.push_str("</select></label>\n");
    };
    let all = |pick: fn(&Finding) -> String| -> Vec<(String, String)> {
        report.findings.iter().map(|f| (pick(f), pick(f))).collect()
    };
    let targets = report.findings.iter().flat_map(|f| &f.targets);
    let passes = report.findings.iter().filter_map(|f| {
        let at = &f.location;
        Some((at.pass.clone()?, at.pass_key.clone()?))
    });
    let (passes, targets) = (passes.collect(), targets.map(|t| (t.clone(), t.clone())).collect());
    choice("rule", all(|finding| finding.rule.clone()));
    choice("level", all(|finding| finding.level.clone()));
    choice("target", targets);
    choice("pass", passes);
    out.push_str(
        "<label>text ( / )<input type=\"search\" name=\"text\"></label>\n\
         <button type=\"reset\">Show all</button>\n\
         <output id=\"shown\" class=\"soft\" aria-live=\"polite\"></output>\n</form>\n",
    );
}

fn one(out: &mut String, finding: &Finding) {
    let level = match finding.level.as_str() {
        "deny" | "forbid" => "deny",
        "warn" => "warn",
        _ => "info",
    };
    let (word, rule) = (markup(&finding.level), markup(&finding.rule));
    let known = if is_known(finding) { " (known)" } else { "" };
    let _ = writeln!(
        out,
        "<article class=\"finding {level}\" data-rule=\"{rule}\" data-level=\"{word}\" \
         data-targets=\"{}\" data-pass=\"{}\">\n\
         <h3><span class=\"level\">{word}{known}</span>: {}</h3>",
        markup(&finding.targets.join(" ")),
        markup(finding.location.pass_key.as_deref().unwrap_or_default()),
        markup(&finding.message)
    );
    let place =
        place(finding).map(|place| format!("{}:{}:{}", place.file, place.line, place.start));
    let frame = finding.location.frame.map(|frame| format!("frame {frame}"));
    let parts = [frame, Some(at(finding)), place, Some(cost(finding))];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let _ = writeln!(out, "<p class=\"soft\">{}</p>", markup(&parts.join("; ")));
    quote(out, finding);
    let mut say = |what: &str, text: &str| {
        let _ = writeln!(out, "<p><b>{what}:</b> {}</p>", markup(text));
    };
    finding.why.iter().for_each(|why| say("why", why));
    finding.assumes.iter().for_each(|assumed| say("assumes", assumed));
    finding.notes.iter().for_each(|note| say(&note.rule, &note.message));
    for (index, fix) in finding.fixes.iter().enumerate() {
        say(if index == 0 { "fix" } else { "or" }, &fix.text);
    }
    let edits: Vec<&Edit> = finding.fixes.iter().flat_map(|fix| &fix.edits).collect();
    if !edits.is_empty() {
        edits_table(out, &edits);
    }
    let targets = markup(&finding.targets.join(", "));
    let sure = markup(&finding.confidence);
    let _ = writeln!(out, "<p class=\"soft\">on: {targets}; {sure}</p>\n</article>");
}

fn edits_table(out: &mut String, edits: &[&Edit]) {
    out.push_str("<table><tr><th>change</th><th>before</th><th>after</th></tr>\n");
    for edit in edits {
        let _ = writeln!(
            out,
            "<tr><td>{} {} <code>{}</code>, {}</td><td><del><code>{}</code></del></td>\
             <td><ins><code>{}</code></ins></td></tr>",
            markup(&edit.action),
            markup(&edit.object),
            markup(&edit.name),
            markup(&edit.field),
            markup(&edit.from),
            markup(&edit.to)
        );
    }
    out.push_str("</table>\n");
}

fn quote(out: &mut String, finding: &Finding) {
    if finding.quote.lines.is_empty() {
        return;
    }
    let numbers = finding.quote.lines.iter().filter_map(|line| line.line);
    let width = numbers.max().map_or(0, |number| number.to_string().len());
    out.push_str("<pre>");
    for (index, line) in finding.quote.lines.iter().enumerate() {
        let number = line.line.map_or(String::new(), |number| number.to_string());
        let _ = writeln!(out, "{number:>width$} | {}", markup(&line.text));
        for mark in marks_of(finding, index, line) {
            let chars = |from: usize, to: usize| {
                line.text.get(from..to).map_or(0, |part| part.chars().count())
            };
            let sign = if mark.primary { "^" } else { "-" };
            let sign = sign.repeat(chars(mark.start, mark.end).max(1));
            let (skip, label) = (chars(0, mark.start), markup(&mark.label));
            let _ = writeln!(
                out,
                "{:width$} | {:skip$}<span class=\"mark\">{sign} {label}</span>",
                "", ""
            );
        }
    }
    out.push_str("</pre>\n");
}

/// Writes the table of passes: bytes, tiles, bins and predicted stages.
pub fn passes(out: &mut String, report: &Report) {
    out.push_str(
        "<h2 id=\"passes\">Passes</h2>\n<div class=\"scroll\" tabindex=\"0\" \
         role=\"region\" aria-label=\"table of passes\"><table>\n<tr><th>pass</th><th>size</th>\
         <th>draws</th><th>attachments</th><th>load</th><th>store</th>",
    );
    for target in &report.targets {
        let _ = write!(out, "<th>{}</th>", markup(&target.name));
    }
    out.push_str("</tr>\n");
    for pass in &report.passes {
        let (load, store) = traffic_of(pass);
        let [width, height] = pass.extent;
        let views = if pass.layers > 1 { format!(" x{}", pass.layers) } else { String::new() };
        let draws = pass.draws.map_or("unknown".to_owned(), |draws| draws.to_string());
        let _ = write!(
            out,
            "<tr id=\"pass-{}\"><td>{}</td><td class=\"number\">{width}x{height}{views}</td>\
             <td class=\"number\">{draws}</td><td>{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td>",
            markup(&pass.key),
            markup(&pass.name),
            attachments(pass),
            shown(load),
            shown(store)
        );
        for target in &report.targets {
            let forecast = pass.targets.get(&target.name);
            let tiles = forecast.map_or(String::new(), |forecast| {
                let tile = forecast.tile.map_or(String::new(), |[w, h]| format!("{w}x{h}"));
                let bins = forecast.bins.map_or(String::new(), |bins| format!("{bins} × "));
                format!("{bins}{tile} {}<br>{}", forecast.mode, forecast.stages.join(" "))
            });
            let _ = write!(out, "<td>{tiles}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn attachments(pass: &Pass) -> String {
    let mut lines = Vec::new();
    for attachment in &pass.attachments {
        for aspect in &attachment.aspects {
            let name = attachment.image.as_deref().unwrap_or("?");
            let op = |op: &Option<String>| op.clone().unwrap_or_else(|| "?".to_owned());
            let (load, store) = (op(&aspect.load), op(&aspect.store));
            lines.push(markup(&format!("{name} {}: {load}, {store}", aspect.aspect)));
        }
    }
    lines.join("<br>")
}
