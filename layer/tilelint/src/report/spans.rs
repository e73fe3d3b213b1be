//! Where in a quoted line a marked key stands.

use std::ops::Range;

use crate::call::listing::key_span;
use crate::finding::{Finding, Mark, Quote};

/// Bytes of a line.
pub type Span = Range<usize>;

/// Finds what a mark points to: `key=value` in its line, the verb where the key is empty or not
/// written there.
pub fn mark_span(quote: &Quote, mark: &Mark) -> Option<Span> {
    let text = &quote.lines.get(mark.line)?.text;
    let key = if mark.key.is_empty() { None } else { key_span(text, mark.key) };
    key.or_else(|| {
        let start = text.len() - text.trim_start().len();
        let end = text[start..].find(char::is_whitespace).map_or(text.len(), |end| start + end);
        (end > start).then_some(start..end)
    })
}

/// Replaces quoted lines by a listing's own text.
#[must_use]
pub fn with_file_lines(mut finding: Finding, source: &str) -> Finding {
    for line in &mut finding.quote.lines {
        let number = line.number as usize;
        if let Some(text) = number.checked_sub(1).and_then(|index| source.lines().nth(index)) {
            line.text = text.trim_end().to_owned();
        }
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::QuoteLine;

    fn marked(text: &str, key: &'static str) -> String {
        let lines = vec![QuoteLine { number: 1, text: text.to_owned() }];
        let mark = Mark { line: 0, key, label: String::new(), primary: true };
        let quote = Quote { lines, marks: vec![mark.clone()] };
        let span = mark_span(&quote, &mark).expect("the line has words");
        text[span].to_owned()
    }

    #[test]
    fn a_key_is_found_with_its_value() {
        let line = "  attach ms stencil_load=LOAD load=CLEAR store=STORE # load=x";
        assert_eq!(marked(line, "load"), "load=CLEAR");
        assert_eq!(marked(line, "stencil_load"), "stencil_load=LOAD");
        assert_eq!(marked(line, "resolve"), "attach");
        assert_eq!(marked(line, ""), "attach");
        assert_eq!(marked(r#"label text="a load=b \" c" load=NONE"#, "load"), "load=NONE");
        assert_eq!(marked(r#"label text="a load=b \" c""#, "text"), r#"text="a load=b \" c""#);
    }
}
