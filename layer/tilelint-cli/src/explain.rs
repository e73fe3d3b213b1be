//! `tilelint explain` and `tilelint rules`.

use std::io::{self, Write};

use tilelint::config::unknown;
use tilelint::rules;

use crate::{CLEAN, FAILED, complain};

/// Writes the page of a rule.
pub fn explain(name: &str, out: &mut impl Write) -> io::Result<u8> {
    let Some(rule) = rules::by_name(name) else {
        complain(&unknown("rule", name, rules::all().map(|rule| rule.name)));
        return Ok(FAILED);
    };
    writeln!(out, "{}", rule.page.trim_end())?;
    Ok(CLEAN)
}

/// Writes a line for each rule, by group.
pub fn rules(out: &mut impl Write) -> io::Result<u8> {
    let width = rules::all().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut group = None;
    for rule in rules::all() {
        if group != Some(rule.group) {
            group = Some(rule.group);
            writeln!(out, "{}:", rule.group.name())?;
        }
        writeln!(out, "  {:width$}  {:6}  {}", rule.name, rule.level.word(), rule.summary())?;
    }
    Ok(CLEAN)
}
