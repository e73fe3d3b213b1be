//! The table of passes: what each does with its attachments, and what the targets make of it.

use std::fmt::Write as _;

use tilelint::report::{Attachment, Forecast, Pass, Report};

use super::super::escape::markup;
use super::traffic::{Waste, shown, traffic};

/// Writes the table.
pub fn passes(out: &mut String, report: &Report, waste: &Waste<'_>) {
    if report.passes.is_empty() {
        return;
    }
    out.push_str(
        "<h2 id=\"passes\">Passes</h2>\n<p class=\"soft\">In the order of their first execution. \
         Tiles, bins and stages are forecasts. <span class=\"key needed\">needed</span> \
         <span class=\"key avoidable\">avoidable</span></p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table of passes\">\
         <table class=\"passes\">\n<thead><tr><th>pass</th><th>attachments</th><th>load</th>\
         <th>store</th><th>traffic</th>",
    );
    for target in &report.targets {
        let _ = write!(out, "<th>{}</th>", markup(&target.name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let sum = |pass: &Pass| {
        let (load, store) = traffic(pass);
        load.unwrap_or(0) + store.unwrap_or(0)
    };
    let most = report.passes.iter().map(sum).max().unwrap_or(0);
    for pass in &report.passes {
        let (load, store) = traffic(pass);
        let share = |bytes: u64| (bytes * 1000).checked_div(most).unwrap_or(0) as f64 / 10.0;
        let bad = waste.bytes(pass);
        let _ = write!(
            out,
            "<tr id=\"pass-{}\"><td>{}</td><td>{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td><div class=\"bar\"><i class=\"needed\" \
             style=\"width:{}%\"></i><i class=\"avoidable\" style=\"width:{}%\"></i></div></td>",
            markup(&pass.key),
            who(pass),
            attachments(pass, waste),
            shown(load),
            shown(store),
            share(sum(pass).saturating_sub(bad)),
            share(bad.min(sum(pass)))
        );
        for target in &report.targets {
            let _ = write!(out, "<td>{}</td>", forecast(pass.targets.get(&target.name)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn who(pass: &Pass) -> String {
    let [width, height] = pass.extent;
    let layers = if pass.layers > 1 { format!("×{}", pass.layers) } else { String::new() };
    let views = if pass.views != 0 {
        format!(", {} views", pass.views.count_ones())
    } else {
        String::new()
    };
    let draws = match pass.draws {
        None => "unknown draws".to_owned(),
        Some(1) => "1 draw".to_owned(),
        Some(draws) => format!("{draws} draws"),
    };
    let often =
        if pass.per_frame > 1 { format!(", {}× a frame", pass.per_frame) } else { String::new() };
    let labels = match pass.labels.as_slice() {
        [] => String::new(),
        labels => format!("<br><span class=\"soft\">in {}</span>", markup(&labels.join(" › "))),
    };
    format!(
        "<b>{}</b>{labels}<br><span class=\"soft\">{width}×{height}{layers}{views}<br>\
         {draws}{often}</span>",
        markup(&pass.name)
    )
}

fn attachments(pass: &Pass, waste: &Waste<'_>) -> String {
    let mut out = String::from("<table class=\"ops\">");
    for attachment in &pass.attachments {
        let name = attachment.image.as_deref().unwrap_or("?");
        for (index, aspect) in attachment.aspects.iter().enumerate() {
            let (load_bad, store_bad) = waste.is_for_nobody(pass, name, aspect);
            let op = |op: &Option<String>, is_bad: bool| {
                let word = markup(op.as_deref().unwrap_or("?"));
                if is_bad { format!("<b class=\"bad\">{word}</b>") } else { word }
            };
            let next = aspect
                .next
                .as_deref()
                .map_or(String::new(), |next| format!(" title=\"then: {}\"", markup(next)));
            let _ = write!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td{next}>{}</td></tr>",
                if index == 0 { what(attachment) } else { String::new() },
                markup(&aspect.aspect),
                op(&aspect.load, load_bad),
                op(&aspect.store, store_bad)
            );
        }
    }
    out + "</table>"
}

fn what(attachment: &Attachment) -> String {
    let name = markup(attachment.image.as_deref().unwrap_or("?"));
    let samples = match attachment.samples {
        0 | 1 => String::new(),
        samples => format!(" {samples}×"),
    };
    let resolve = match &attachment.resolve {
        Some(into) => format!("<br>→ <code>{}</code>", markup(into)),
        None => String::new(),
    };
    let format = markup(&attachment.format);
    format!("<code>{name}</code>{resolve}<br><span class=\"soft\">{format}{samples}</span>")
}

fn forecast(forecast: Option<&Forecast>) -> String {
    let Some(forecast) = forecast else { return String::new() };
    let tile = forecast.tile.map_or(String::new(), |[w, h]| format!("{w}×{h}"));
    let word = if forecast.mode == "tiled" { "tile" } else { "bin" };
    let bins = match forecast.bins {
        None => String::new(),
        Some(1) => format!("1 {word} "),
        Some(bins) => format!("{bins} {word}s "),
    };
    let reason = forecast.reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
    format!(
        "<b>{bins}{tile}</b> <span class=\"soft\">{}{}</span><br><span class=\"stages\">{}</span>",
        markup(&forecast.mode),
        markup(&reason),
        markup(&forecast.stages.join(" "))
    )
}
