//! One page that holds everything: it asks nothing of the network.

mod calls;
mod findings;
mod graph;
mod overview;
mod passes;
mod traffic;
mod words;

use std::fmt::Write as _;

use tilelint::report::Report;
use tilelint::rules;

use super::escape::markup;
use traffic::Waste;
use words::words;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// The browser itself then refuses every request.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
     img-src data:";

/// Writes the page.
pub fn render(report: &Report) -> String {
    let program = report.run.get("program").and_then(serde_json::Value::as_str);
    let title = program.map_or(String::new(), |name| format!(": {}", markup(name)));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>tilelint report{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    let waste = Waste::of(report);
    overview::head(&mut out, report);
    overview::bandwidth(&mut out, report);
    graph::graph(&mut out, report, &waste);
    findings::findings(&mut out, report);
    passes::passes(&mut out, report, &waste);
    if let Some(time) = &report.api_time {
        calls::calls(&mut out, time);
    }
    pages(&mut out, report);
    let _ = write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
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
        let (name, about) = (rule.name, words(rule.summary()));
        // The page begins with the summary.
        let page = words::page(rule.page);
        let page = page.split_once("</p>\n").map_or(page.as_str(), |(_, rest)| rest);
        let _ = writeln!(
            out,
            "<details id=\"rule-{name}\"><summary><code>{name}</code> {about}</summary>\n{page}\
             </details>"
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
