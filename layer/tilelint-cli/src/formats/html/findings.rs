//! The findings, by rule, with filters.

use std::fmt::Write as _;

use tilelint::report::{Edit, Finding, Fix, Mark, QuoteLine, Report, human_bytes};
use tilelint::rules;

use super::super::cost;
use super::super::escape::markup;
use super::super::text::marks_of;
use super::words::words;
use crate::place::place;
use crate::verdict::is_known;

/// Writes the filters and the findings.
pub fn findings(out: &mut String, report: &Report) {
    out.push_str("<h2 id=\"findings\">Findings</h2>\n");
    if report.findings.is_empty() {
        out.push_str("<p>None.</p>\n");
    } else {
        filters(out, report);
    }
    let (unsteady, steady): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| finding.only_unsteady);
    groups(out, &steady);
    if !unsteady.is_empty() {
        out.push_str(
            "<h3 class=\"apart\" id=\"unsteady\">Only outside steady frames <span class=\"soft\">\
             in start-up, loading, resizing or screenshots; they cost no steady frame anything\
             </span></h3>\n",
        );
        groups(out, &unsteady);
    }
    suppressed(out, report);
}

/// Writes findings by rule, in the order in which the rules come up.
fn groups(out: &mut String, findings: &[&Finding]) {
    let mut rules: Vec<&str> = Vec::new();
    for finding in findings {
        if !rules.contains(&finding.rule.as_str()) {
            rules.push(&finding.rule);
        }
    }
    for rule in rules {
        let found: Vec<&Finding> = findings.iter().copied().filter(|f| f.rule == rule).collect();
        group(out, rule, &found);
    }
}

fn group(out: &mut String, rule: &str, found: &[&Finding]) {
    let traffic = |f: &&Finding| f.cost.load_bytes + f.cost.store_bytes;
    let sum = match found.iter().map(traffic).sum() {
        0 => String::new(),
        bytes => format!(", {} a frame", human_bytes(bytes)),
    };
    let count = match found.len() {
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let name = markup(rule);
    let about = rules::by_name(rule).map_or(String::new(), |rule| words(rule.summary()));
    let _ = writeln!(
        out,
        "<section class=\"group\"><h3><a href=\"#rule-{name}\"><code>{name}</code></a> \
         <span class=\"soft\">{about}</span> <span class=\"sum\">{count}{sum}</span></h3>"
    );
    found.iter().for_each(|finding| one(out, finding));
    out.push_str("</section>\n");
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
        "<label>text<input type=\"search\" name=\"text\"></label>\n\
         <button type=\"reset\">Show all</button>\n\
         <output id=\"shown\" aria-live=\"polite\"></output>\n\
         <span class=\"soft keys\"><kbd>/</kbd> text <kbd>j</kbd> <kbd>k</kbd> next, \
         previous</span>\n</form>\n",
    );
}

fn one(out: &mut String, finding: &Finding) {
    let (level, word) = match finding.level.as_str() {
        "deny" | "forbid" => ("deny", "error"),
        "warn" => ("warn", "warning"),
        _ => ("info", "hint"),
    };
    let known = if is_known(finding) { " <span class=\"chip\">known</span>" } else { "" };
    let id = markup(&finding.fingerprint);
    let _ = writeln!(
        out,
        "<article class=\"finding {level}\" id=\"finding-{id}\" tabindex=\"0\" data-rule=\"{}\" \
         data-level=\"{}\" data-targets=\"{}\" data-pass=\"{}\">\n<header><h4>\
         <span class=\"level\">{word}</span> {}{known}</h4><span class=\"cost\">{}</span></header>",
        markup(&finding.rule),
        markup(&finding.level),
        markup(&finding.targets.join(" ")),
        markup(finding.location.pass_key.as_deref().unwrap_or_default()),
        words(&finding.message),
        markup(&cost(finding))
    );
    where_it_is(out, finding);
    quote(out, finding);
    out.push_str("<dl>\n");
    let mut say = |what: &str, text: &str| {
        let _ = writeln!(out, "<dt>{what}</dt><dd>{text}</dd>");
    };
    finding.why.iter().for_each(|why| say("why", &words(why)));
    finding.assumes.iter().for_each(|assumed| say("assumes", &words(assumed)));
    for note in &finding.notes {
        say("also", &format!("<code>{}</code> {}", markup(&note.rule), words(&note.message)));
    }
    for (index, fix) in finding.fixes.iter().enumerate() {
        say(if index == 0 { "fix" } else { "or" }, &mended(fix));
    }
    out.push_str("</dl>\n");
    targets(out, finding);
    out.push_str("</article>\n");
}

fn where_it_is(out: &mut String, finding: &Finding) {
    let place =
        place(finding).map(|place| format!("{}:{}:{}", place.file, place.line, place.start));
    let frames = match finding.count {
        0 => None,
        1 => Some("in 1 frame".to_owned()),
        count => Some(format!("in {count} frames")),
    };
    let at = &finding.location;
    let code = |what: &str, name: &String| format!("{what} <code>{}</code>", markup(name));
    let pass = at.pass.as_ref().map(|pass| match &at.pass_key {
        Some(key) => format!("<a href=\"#pass-{}\">{}</a>", markup(key), code("pass", pass)),
        None => code("pass", pass),
    });
    let subpass = at.subpass.map(|subpass| format!("subpass {subpass}"));
    let image = at.image.as_ref().map(|image| code("image", image));
    let label = at.labels.first().map(|_| format!("in {}", markup(&at.labels.join(" › "))));
    let parts = [pass, subpass, image, label, frames, place.map(|place| markup(&place))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let _ = writeln!(out, "<p class=\"soft\">{}</p>", parts.join(" · "));
}

fn targets(out: &mut String, finding: &Finding) {
    let _ = write!(out, "<p class=\"targets\">");
    for target in &finding.targets {
        let differs = finding.by_target.get(target);
        let cost = differs.and_then(|differs| differs.cost.as_ref());
        let bytes = cost.map(|cost| cost.load_bytes + cost.store_bytes);
        let bytes = bytes.map_or(String::new(), |bytes| format!(" {}", human_bytes(bytes)));
        let sure = differs.and_then(|differs| differs.confidence.as_ref());
        let sure = sure.map_or(String::new(), |sure| format!(" {sure}"));
        let more = markup(&format!("{bytes}{sure}"));
        let _ = write!(out, "<span class=\"chip\">{}{more}</span> ", markup(target));
    }
    let _ = writeln!(out, "<span class=\"soft\">{}</span></p>", markup(&finding.confidence));
}

/// A fix in words and what it changes, before and after.
fn mended(fix: &Fix) -> String {
    let mut out = words(&fix.text);
    if fix.edits.is_empty() {
        return out;
    }
    out.push_str("<ul class=\"edits\">");
    for edit in &fix.edits {
        let _ = write!(out, "<li>{}</li>", change(edit));
    }
    out + "</ul>"
}

fn change(edit: &Edit) -> String {
    let mut out = match edit.action.as_str() {
        "" | "set" => String::new(),
        action => format!("{} ", markup(action)),
    };
    let _ = write!(out, "{} <code>{}</code>", markup(&edit.object), markup(&edit.name));
    if !edit.field.is_empty() {
        let _ = write!(out, " {}", markup(&edit.field));
    }
    if !edit.from.is_empty() {
        let _ = write!(out, " <del>{}</del>", markup(&edit.from));
    }
    if !edit.to.is_empty() {
        let _ = write!(out, " → <ins>{}</ins>", markup(&edit.to));
    }
    out
}

fn quote(out: &mut String, finding: &Finding) {
    if finding.quote.lines.is_empty() {
        return;
    }
    let numbers = finding.quote.lines.iter().filter_map(|line| line.line);
    let width = numbers.max().map_or(0, |number| number.to_string().len());
    let mut lines: Vec<(usize, &QuoteLine)> = finding.quote.lines.iter().enumerate().collect();
    lines.sort_by_key(|(_, line)| line.line);
    lines.dedup_by(|a, b| a.1.line.is_some() && a.1.line == b.1.line);
    out.push_str("<pre class=\"code\">");
    for (index, line) in lines {
        let number = line.line.map_or(String::new(), |number| number.to_string());
        let marks = marks_of(finding, index, line);
        let text = marked(&line.text, &marks);
        let _ = writeln!(out, "<span class=\"line\">{number:>width$} │</span> {text}");
        for mark in &marks {
            let chars = |from: usize, to: usize| {
                line.text.get(from..to).map_or(0, |part| part.chars().count())
            };
            let class = if mark.primary { "mark" } else { "mark other" };
            let sign = if mark.primary { "^" } else { "-" };
            let sign = sign.repeat(chars(mark.start, mark.end).max(1));
            let (skip, label) = (chars(0, mark.start), words(&mark.label));
            let _ = writeln!(
                out,
                "<span class=\"line\">{:width$} │</span> {:skip$}<span class=\"{class}\">{sign} \
                 {label}</span>",
                "", ""
            );
        }
        if let Some(after) = marks.iter().find_map(|mark| mended_line(finding, &line.text, mark)) {
            let _ = writeln!(
                out,
                "<span class=\"line\">{:>width$} │</span> <ins>{}</ins>",
                "+",
                markup(&after)
            );
        }
    }
    out.push_str("</pre>\n");
}

/// The line with what the marks are on set apart.
fn marked(text: &str, marks: &[&Mark]) -> String {
    let mut out = String::new();
    let mut done = 0;
    let mut marks: Vec<&&Mark> = marks.iter().collect();
    marks.sort_by_key(|mark| mark.start);
    for mark in marks {
        let parts = text.get(done..mark.start).zip(text.get(mark.start..mark.end));
        let Some((before, inside)) = parts else { continue };
        let class = if mark.primary { "hit" } else { "hit other" };
        let _ = write!(out, "{}<span class=\"{class}\">{}</span>", markup(before), markup(inside));
        done = mark.end;
    }
    out + &markup(text.get(done..).unwrap_or_default())
}

/// The line as the first fix leaves it, where the fix sets the very value that the mark is on.
fn mended_line(finding: &Finding, text: &str, mark: &Mark) -> Option<String> {
    let (key, value) = text.get(mark.start..mark.end)?.split_once('=')?;
    let edits = &finding.fixes.first().filter(|_| mark.primary)?.edits;
    let edit = edits.iter().find(|edit| edit.from == value && !edit.to.contains(' '))?;
    let (before, after) = (text.get(..mark.start)?, text.get(mark.end..)?);
    Some(format!("{before}{key}={}{after}", edit.to))
}

/// What is not shown, and who says so.
fn suppressed(out: &mut String, report: &Report) {
    if report.suppressed.is_empty() {
        return;
    }
    out.push_str("<details><summary>Suppressed findings</summary>\n<table><tr><th>rule</th>");
    out.push_str("<th>frames</th><th>reason</th><th>by</th></tr>\n");
    for finding in &report.suppressed {
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
            markup(&finding.rule),
            finding.count,
            words(&finding.reason),
            markup(&finding.by)
        );
    }
    out.push_str("</table></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steady_frames_do_not_have_stands_apart() {
        let finding = |rule: &str, only_unsteady| Finding {
            rule: rule.to_owned(),
            only_unsteady,
            ..Finding::default()
        };
        let found = vec![finding("msaa-store", true), finding("depth-store", false)];
        let mut out = String::new();
        findings(&mut out, &Report { findings: found, ..Report::default() });
        let at = |text: &str| out.find(text).unwrap_or_else(|| panic!("{text}: {out}"));
        let apart = at("id=\"unsteady\"");
        assert!(at("<code>depth-store</code></a>") < apart);
        assert!(apart < at("<code>msaa-store</code></a>"));
    }

    #[test]
    fn a_fix_of_what_the_mark_is_on_shows_the_line_after() {
        let edit = Edit {
            field: "storeOp".to_owned(),
            from: "STORE".to_owned(),
            to: "DONT_CARE".to_owned(),
            ..Edit::default()
        };
        let fix = Fix { text: String::new(), edits: vec![edit] };
        let mut finding = Finding { fixes: vec![fix], ..Finding::default() };
        let text = "attach a load=CLEAR store=STORE";
        let mark = Mark { start: 20, end: 31, primary: true, ..Mark::default() };
        let after = mended_line(&finding, text, &mark);
        assert_eq!(after.as_deref(), Some("attach a load=CLEAR store=DONT_CARE"));
        finding.fixes[0].edits[0].from = "LOAD".to_owned();
        assert_eq!(mended_line(&finding, text, &mark), None);
    }
}
