//! The head of the page: what was run, the figures that matter, and the bandwidth of each target.

use std::fmt::Write as _;

use serde_json::Value;
use tilelint::report::{Report, Target, human_bytes, human_rate};

use super::super::escape::markup;

/// Writes the title, the navigation and the figures.
pub fn head(out: &mut String, report: &Report) {
    let program = report.run.get("program").and_then(Value::as_str);
    let title = program.map_or("Report".to_owned(), markup);
    let devices: Vec<String> = report
        .devices
        .iter()
        .map(|device| device.name.clone().unwrap_or_else(|| device.id.clone()))
        .collect();
    let targets: Vec<&str> = report.targets.iter().map(|target| target.name.as_str()).collect();
    let _ = writeln!(
        out,
        "<header class=\"top\"><p class=\"brand\">tilelint <span>{}</span></p>\n<nav>",
        markup(&report.tool.version)
    );
    let sections = [
        ("bandwidth", "Bandwidth", report.traffic.load_bytes.is_some()),
        ("frame", "Frame", !report.passes.is_empty()),
        ("findings", "Findings", true),
        ("passes", "Passes", !report.passes.is_empty()),
        ("calls", "Calls", report.api_time.is_some()),
        ("rules", "Rules", !report.findings.is_empty()),
    ];
    for (id, name, _) in sections.iter().filter(|(.., is_there)| *is_there) {
        let _ = writeln!(out, "<a href=\"#{id}\">{name}</a>");
    }
    let _ = writeln!(
        out,
        "<button type=\"button\" id=\"theme\">Dark or light</button>\n</nav></header>\n<main>\n\
         <h1>{title}</h1>\n<p class=\"soft\">on {}; judged for {}</p>",
        markup(&devices.join(", ")),
        markup(&targets.join(", "))
    );
    figures(out, report);
}

fn figures(out: &mut String, report: &Report) {
    let traffic = &report.traffic;
    let total = traffic.load_bytes.zip(traffic.store_bytes).map(|(load, store)| load + store);
    let known = |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), human_bytes);
    let steady = || report.findings.iter().filter(|finding| !finding.only_unsteady);
    let at = |level: &str| steady().filter(|f| f.level == level).count();
    let levels = [(at("deny"), "error"), (at("warn"), "warning"), (at("info"), "hint")];
    let levels: Vec<String> = levels
        .iter()
        .filter(|(count, _)| *count != 0)
        .map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    let frames = &report.frames;
    let of_them = match &frames.range {
        Some(range) => format!("of {range}; {} steady", frames.steady),
        None => format!("{} steady", frames.steady),
    };
    let share = total
        .and_then(|total| (traffic.avoidable_bytes * 100).checked_div(total))
        .map_or(String::new(), |percent| format!("{percent} % of the traffic"));
    let loads = match (traffic.load_bytes, traffic.store_bytes) {
        (Some(load), Some(store)) => {
            format!("{} loaded, {} stored", human_bytes(load), human_bytes(store))
        }
        _ => "not all of it is known".to_owned(),
    };
    let suppressed = match report.suppressed.len() {
        0 => String::new(),
        count => format!(", {count} suppressed"),
    };
    let unsteady = match report.findings.len() - steady().count() {
        0 => String::new(),
        count => format!(", {count} outside steady frames"),
    };
    let none = "nothing to mend".to_owned();
    let found = if levels.is_empty() { none } else { levels.join(", ") } + &suppressed + &unsteady;
    let passes = traffic.passes.map_or("unknown".to_owned(), |passes| passes.to_string());
    let boundary = frames.boundary.as_deref().map_or(String::new(), |by| format!("ended by {by}"));
    let tiles = [
        ("findings", steady().count().to_string(), found, ""),
        ("traffic a frame", known(total), loads, ""),
        ("avoidable a frame", human_bytes(traffic.avoidable_bytes), share, "waste"),
        ("passes a frame", passes, boundary, ""),
        ("frames", frames.seen.to_string(), of_them, ""),
    ];
    out.push_str("<dl class=\"figures\">\n");
    for (name, value, more, class) in tiles {
        let class = if traffic.avoidable_bytes == 0 { "" } else { class };
        let _ = writeln!(
            out,
            "<div class=\"{class}\"><dt>{name}</dt><dd>{}</dd><dd class=\"soft\">{}</dd></div>",
            markup(&value),
            markup(&more)
        );
    }
    out.push_str("</dl>\n");
}

/// Writes what is asked for and what of it is avoidable, a second of each target.
pub fn bandwidth(out: &mut String, report: &Report) {
    let traffic = &report.traffic;
    let (Some(load), Some(store)) = (traffic.load_bytes, traffic.store_bytes) else { return };
    let total = load + store;
    let avoidable = traffic.avoidable_bytes.min(total);
    let hz = |target: &Target| u64::from(target.refresh_hz.max(1));
    let most = report.targets.iter().map(hz).max().unwrap_or(60) * total;
    out.push_str(
        "<h2 id=\"bandwidth\">Bandwidth</h2>\n<p class=\"soft\">What the program asks for, \
         uncompressed, at the refresh rate of each target. \
         <span class=\"key needed\">needed</span> \
         <span class=\"key avoidable\">avoidable</span></p>\n<div class=\"bars\">\n",
    );
    for target in &report.targets {
        let share = |bytes: u64| {
            let thousandths = (bytes * hz(target) * 1000).checked_div(most).unwrap_or(0);
            thousandths as f64 / 10.0
        };
        let saved = match avoidable {
            0 => String::new(),
            bytes => format!(", <b>{} avoidable</b>", human_rate(bytes, target.refresh_hz)),
        };
        let _ = writeln!(
            out,
            "<span>{}</span><div class=\"bar\"><i class=\"needed\" style=\"width:{}%\"></i>\
             <i class=\"avoidable\" style=\"width:{}%\"></i></div><span>{}{saved}</span>",
            markup(&target.name),
            share(total - avoidable),
            share(avoidable),
            human_rate(total, target.refresh_hz)
        );
    }
    out.push_str("</div>\n");
}
