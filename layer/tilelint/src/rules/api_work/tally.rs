//! Which lines of a listing set state for nothing, and the edits that follow.

use std::collections::BTreeMap;
use std::mem::discriminant;

use crate::call::{Command, DynamicState, Line};
use crate::finding::Edit;

/// Lines whose edits a finding tells at most: a recording has one for each command.
const MAX_EDITS: usize = 256;

/// What the commands of one line and one kind came to.
#[derive(Default)]
struct Of {
    text: String,
    call: &'static str,
    needed: u32,
    wasted: u32,
    /// The first of them was needed.
    first_needed: bool,
}

/// What the commands of each line came to, by line and kind of state.
#[derive(Default)]
pub struct Tally(BTreeMap<(u32, String), Of>);

impl Tally {
    /// A command was needed, or for nothing.
    pub fn count(
        &mut self,
        line: Line,
        command: &Command,
        wasted: bool,
        spelled: impl Fn(&Command) -> (String, &'static str),
    ) {
        if line.0 == 0 {
            return;
        }
        let of = self.0.entry((line.0, kind(command))).or_insert_with(|| {
            let (text, call) = spelled(command);
            Of { text: text.trim().to_owned(), call, ..Of::default() }
        });
        if of.needed + of.wasted == 0 {
            of.first_needed = !wasted;
        }
        if wasted {
            of.wasted += 1;
        } else {
            of.needed += 1;
        }
    }

    /// A command that was counted as needed turns out to be for nothing.
    pub fn unused(
        &mut self,
        line: Line,
        command: &Command,
        spelled: impl Fn(&Command) -> (String, &'static str),
    ) {
        self.count(line, command, true, spelled);
        if let Some(of) = self.0.get_mut(&(line.0, kind(command))) {
            of.needed = of.needed.saturating_sub(1);
            of.first_needed &= of.needed > 0;
        }
    }

    /// The edits: of a line that is always for nothing, and of one that is needed once. A program
    /// without lines is told of the first.
    pub fn edits(&self, first: Option<(Line, (String, &'static str))>) -> Vec<Edit> {
        if self.0.is_empty() {
            let first = first.map(|(line, (text, call))| Edit::remove(text, call, line));
            return first.into_iter().collect();
        }
        let mut edits = Vec::new();
        for ((line, kind), of) in &self.0 {
            // Another state that the line sets is not to go with it.
            let others = self.0.range((*line, String::new())..(*line + 1, String::new()));
            let alike = others
                .filter(|((_, other), _)| other != kind)
                .all(|(_, other)| (other.wasted > 0, other.needed) == (of.wasted > 0, of.needed));
            if of.wasted == 0 || !alike || edits.len() >= MAX_EDITS {
                continue;
            }
            let edit = match (of.needed, of.first_needed) {
                (0, _) => Edit::remove(of.text.clone(), of.call, Line(*line)),
                (1, true) => Edit::once(of.text.clone(), of.call, Line(*line)),
                _ => continue,
            };
            if edits.last().is_none_or(|last: &Edit| last.line.0 != *line) {
                edits.push(edit);
            }
        }
        edits
    }
}

/// The kind of state that a command sets.
fn kind(command: &Command) -> String {
    match command {
        Command::Set(state) => match state {
            DynamicState::Other(name, _) => (*name).to_owned(),
            state => format!("{:?}", discriminant(state)),
        },
        command => format!("{:?}", discriminant(command)),
    }
}
