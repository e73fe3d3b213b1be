//! The section about the time in Vulkan calls.

use std::fmt::Write as _;

use tilelint::report::{API_TIME_TITLES, ApiTime};

use super::super::escape::markup;

/// Writes the time by entry point, dearest first, and what blocks.
pub fn calls(out: &mut String, time: &ApiTime) {
    out.push_str("<h2 id=\"calls\">Time in Vulkan calls</h2>\n");
    let _ = writeln!(
        out,
        "<p class=\"soft\">{}. The last column is what leaving the entry point out gains at most: \
         where the frame waits for the thread that calls it.</p>",
        markup(&time.headline())
    );
    out.push_str("<table class=\"numbers\"><tr>");
    for title in API_TIME_TITLES {
        let _ = write!(out, "<th>{}</th>", markup(title));
    }
    out.push_str("</tr>\n");
    for call in time.working() {
        out.push_str("<tr>");
        for cell in time.cells(call) {
            let _ = write!(out, "<td>{}</td>", markup(&cell));
        }
        out.push_str("</tr>\n");
    }
    for (kind, sum) in time.blocked() {
        let _ = writeln!(
            out,
            "<tr class=\"soft\"><td>blocked: {}</td><td colspan=\"6\">{:.3} ms a frame</td></tr>",
            markup(kind),
            time.ms_a_frame(sum)
        );
    }
    out.push_str("</table>\n");
}
