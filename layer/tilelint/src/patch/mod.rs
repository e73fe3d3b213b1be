//! What if: the edits of a fix, applied to the text of the listing that the finding is about.
//!
//! Lines are found by their numbers in that listing, declared objects by their names. An edit that
//! the text gives no place to is an error: nothing is applied in part.

mod list;
mod sheet;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::finding::{Action, Beside, Edit, EditObject};
use sheet::Sheet;

/// Why an edit cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The edit, in short.
    pub edit: String,
    /// What is missing.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.edit, self.reason)
    }
}

impl std::error::Error for Problem {}

/// Applies edits to the listing that their finding was made from. An edit that is given twice is
/// applied once.
pub fn apply<'a>(text: &str, edits: impl IntoIterator<Item = &'a Edit>) -> Result<String, Problem> {
    let mut sheet = Sheet::new(text);
    let mut done: Vec<&Edit> = Vec::new();
    let mut once = Vec::new();
    for edit in edits {
        if done.iter().any(|other| *other == edit && other.line.0 == edit.line.0) {
            continue;
        }
        done.push(edit);
        if edit.action == Action::Once {
            once.push(edit);
        } else {
            one(&mut sheet, edit).map_err(|reason| problem(edit, reason))?;
        }
    }
    // A round that is written out has lines of the same numbers: all else is done before.
    if let Some(first) = once.first() {
        let lines: Vec<u32> = once.iter().map(|edit| edit.line.0).collect();
        sheet.once(&lines).map_err(|reason| problem(first, reason))?;
    }
    Ok(sheet.text())
}

fn problem(edit: &Edit, reason: String) -> Problem {
    let pass = edit.pass.as_deref().map(|pass| format!(" in pass `{pass}`")).unwrap_or_default();
    let word = edit.action.word();
    Problem { edit: format!("{word} {} of `{}`{pass}", edit.field, edit.name), reason }
}

fn one(sheet: &mut Sheet, edit: &Edit) -> Result<(), String> {
    match edit.action {
        Action::Set => set(sheet, edit),
        Action::Remove if edit.object == EditObject::Attachment => {
            let at = sheet.of_line(edit.line)?;
            sheet.leave_out(at, &edit.name)
        }
        Action::Remove => {
            let at = sheet.of_line(edit.line)?;
            sheet.remove(at);
            Ok(())
        }
        Action::Move(beside) => {
            let at = sheet.of_line(edit.line)?;
            let rows = sheet.remove(at);
            let (to, like) = (place(sheet, beside)?, beside_row(sheet, beside)?);
            sheet.insert_like(to, rows, like);
            Ok(())
        }
        Action::Insert(beside) => {
            let to = place(sheet, beside)?;
            let depth = sheet.indent(beside_row(sheet, beside)?);
            let text = sheet.own_words(&edit.to);
            sheet.insert_text(to, &depth, &text);
            Ok(())
        }
        Action::Replace => {
            let at = sheet.of_line(edit.line)?;
            let text = sheet.own_words(&edit.to);
            sheet.replace(at, &text);
            Ok(())
        }
        Action::Join(into) => {
            let (from, into) = (sheet.of_line(edit.line)?, sheet.of_line(into)?);
            sheet.join(from, into)
        }
        Action::Once => Ok(()),
    }
}

fn beside_row(sheet: &Sheet, beside: Beside) -> Result<usize, String> {
    match beside {
        Beside::Before(line) | Beside::Behind(line) => sheet.of_line(line),
    }
}

/// The row before which something goes.
fn place(sheet: &Sheet, beside: Beside) -> Result<usize, String> {
    let at = beside_row(sheet, beside)?;
    Ok(match beside {
        Beside::Before(_) => at,
        Beside::Behind(_) => sheet.end(at) + 1,
    })
}

fn set(sheet: &mut Sheet, edit: &Edit) -> Result<(), String> {
    let declared = match edit.object {
        EditObject::Image => sheet.declares(&["image", "swapchain"], &edit.name),
        EditObject::Pipeline => sheet.declares(&["pipeline"], &edit.name),
        EditObject::Swapchain => sheet.declares(&["swapchain"], &edit.name),
        _ => None,
    };
    let mut at = match declared {
        Some(at) => at,
        None => sheet.of_line(edit.line)?,
    };
    if edit.key.is_empty() {
        return Err("a listing has no key for it".to_owned());
    }
    if edit.object == EditObject::Attachment {
        at = sheet.own_attach(at, &edit.name);
    }
    if edit.key == "memory" {
        return sheet.set_memory(at, &edit.name, &edit.to);
    }
    let now = sheet.value(at, edit.key);
    let (from, to) = (sheet.own_words(&edit.from), sheet.own_words(&edit.to));
    let value = match edit.key {
        "wait" if edit.field == "flags" => if to == "0" { "off" } else { "on" }.to_owned(),
        "usage" | "flags" | "src_stage" | "dst_stage" | "src_access" | "dst_access" => {
            list::flags(now.as_deref().unwrap_or("0"), &from, &to)
        }
        "wait" | "signal" => list::semaphore(now.as_deref().unwrap_or(""), &edit.name, &from, &to),
        "color" | "input" | "resolve" | "preserve" | "depth" | "depth_resolve"
            if edit.object == EditObject::Subpass =>
        {
            list::reference(now.as_deref().unwrap_or(""), &from, &to)
        }
        "reads" | "writes" => list::instead(&now.unwrap_or_default(), &from, &to)?,
        _ => to,
    };
    let none = value.is_empty() || ["UNUSED", "NULL"].contains(&value.as_str());
    sheet.set_value(at, edit.key, (!none).then_some(value.as_str()));
    Ok(())
}
