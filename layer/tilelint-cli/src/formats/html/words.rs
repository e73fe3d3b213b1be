//! Prose with code in it, and rule pages, as HTML.

use super::super::escape::markup;

/// Escapes text; what stands between backticks becomes code.
pub fn words(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        let is_code = index % 2 == 1 && index + 1 < parts.len();
        if is_code {
            out.push_str(&format!("<code>{}</code>", markup(part)));
        } else {
            // A backtick with no partner is one.
            out.push_str(if index % 2 == 1 { "`" } else { "" });
            out.push_str(&markup(part));
        }
    }
    out
}

/// Sections of a rule page that only its tests read.
const FOR_TESTS: &str = "Cases";

/// Writes a rule page: headings, paragraphs, lists and fences.
pub fn page(text: &str) -> String {
    let mut out = String::new();
    let mut block = Block::None;
    let mut is_left_out = false;
    for line in text.lines().skip(1) {
        if matches!(block, Block::Fence | Block::Skipped) {
            if line.starts_with("```") {
                block.close(&mut out);
            } else if block == Block::Fence {
                out.push_str(&format!("{}\n", markup(line)));
            }
            continue;
        }
        if let Some(title) = line.strip_prefix("## ") {
            block.close(&mut out);
            is_left_out = title == FOR_TESTS;
        }
        if line.starts_with("```") {
            block.open(if is_left_out { Block::Skipped } else { Block::Fence }, &mut out);
        } else if !is_left_out {
            block.line(line, &mut out);
        }
    }
    block.close(&mut out);
    out
}

/// What the lines of a page are in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    Paragraph,
    List,
    Fence,
    /// A fence that is not shown.
    Skipped,
}

impl Block {
    fn open(&mut self, next: Block, out: &mut String) {
        self.close(out);
        out.push_str(match next {
            Block::Paragraph => "<p>",
            Block::List => "<ul><li>",
            Block::Fence => "<pre>",
            Block::None | Block::Skipped => "",
        });
        *self = next;
    }

    fn close(&mut self, out: &mut String) {
        out.push_str(match self {
            Block::Paragraph => "</p>\n",
            Block::List => "</li></ul>\n",
            Block::Fence => "</pre>\n",
            Block::None | Block::Skipped => "",
        });
        *self = Block::None;
    }

    fn line(&mut self, line: &str, out: &mut String) {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            self.close(out);
            out.push_str(&format!("<h4>{}</h4>\n", words(heading.trim())));
        } else if line.trim().is_empty() {
            self.close(out);
        } else if let Some(item) = line.strip_prefix("- ") {
            if *self == Block::List {
                out.push_str("</li><li>");
            } else {
                self.open(Block::List, out);
            }
            out.push_str(&words(item));
        } else {
            match self {
                Block::None => self.open(Block::Paragraph, out),
                _ => out.push(' '),
            }
            out.push_str(&words(line.trim()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_make_code_and_nothing_makes_markup() {
        assert_eq!(words("depth of `a<b` is"), "depth of <code>a&lt;b</code> is");
        assert_eq!(words("one ` alone"), "one ` alone");
        assert_eq!(words("``"), "<code></code>");
    }

    #[test]
    fn a_page_becomes_markup_without_its_cases() {
        let text = "# `x`\n\nWhat.\nMore.\n\n## Fix\n\n- a\n  b\n- `c`\n\n```text\n<d>\n\n# e\n\
                    ```\n\n\
                    ## Cases\n\n```calls\nnever\n```\n\n### also never\n\n## Sources\n\n- s\n";
        assert_eq!(
            page(text),
            "<p>What. More.</p>\n<h4>Fix</h4>\n<ul><li>a b</li><li><code>c</code></li></ul>\n\
             <pre>&lt;d&gt;\n\n# e\n</pre>\n<h4>Sources</h4>\n<ul><li>s</li></ul>\n"
        );
    }
}
