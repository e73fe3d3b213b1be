//! Orders that mean the same.

use tilelint_tests::flat::Flat;

/// Submissions of the frame that has most of them.
pub fn submits(flat: &Flat) -> usize {
    let (mut most, mut count) = (0, 0);
    for block in &flat.blocks {
        count += usize::from(block.verb() == "submit");
        if Some(block.verb()) == flat.frame_end {
            count = 0;
        }
        most = most.max(count);
    }
    most
}

/// A short-form pass: its lines, and the images that it names.
struct Pass<'a> {
    lines: &'a [&'a str],
    images: Vec<&'a str>,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn pass<'a>(lines: &'a [&'a str]) -> Option<Pass<'a>> {
    let first = lines.first().filter(|line| line.trim_start().starts_with("pass "))?;
    let end = lines.iter().position(|l| l.trim() == "end" && indent(l) == indent(first))?;
    let lines = &lines[..=end];
    let known = ["pass", "attach", "draw", "clear-attachments", "end", "", "#"];
    let mut images = Vec::new();
    for line in lines {
        let line = line.split(" #").next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let state = ["of=", "fb=", "flags=", "pipeline="].iter().any(|key| line.contains(key));
        if !known.contains(&verb) || state {
            return None;
        }
        if verb == "attach" {
            images.extend(words.clone().next());
        }
        let keys = ["resolve=", "reads=", "writes="];
        let values = words.filter_map(|word| keys.iter().find_map(|key| word.strip_prefix(key)));
        images.extend(values.flat_map(|value| value.split(',')));
    }
    let images = images.into_iter().map(|name| name.split(['@', ':']).next().unwrap_or_default());
    Some(Pass { lines, images: images.collect() })
}

/// The listing with pairs of passes exchanged that follow each other and share no image; none
/// where there are no such, or where names may stand for shared images.
pub fn swap_passes(text: &str) -> Option<String> {
    let verbs = ["bind ", "view ", "sampler ", "dependency "];
    if text.lines().any(|line| verbs.iter().any(|verb| line.trim_start().starts_with(verb))) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<&str> = Vec::new();
    let (mut at, mut swapped) = (0, false);
    while at < lines.len() {
        let first = pass(&lines[at..]);
        let second = first.as_ref().and_then(|first| pass(&lines[at + first.lines.len()..]));
        match (first, second) {
            (Some(a), Some(b)) if !a.images.iter().any(|name| b.images.contains(name)) => {
                out.extend(b.lines);
                out.extend(a.lines);
                at += a.lines.len() + b.lines.len();
                swapped = true;
            }
            _ => {
                out.push(lines[at]);
                at += 1;
            }
        }
    }
    swapped.then(|| out.join("\n") + "\n")
}
