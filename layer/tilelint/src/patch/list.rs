//! Values that are lists: what an edit changes in them.

/// Flags after an edit from some to others; flags that another edit changed stay changed.
pub(super) fn flags(now: &str, from: &str, to: &str) -> String {
    fn words(text: &str) -> Vec<&str> {
        text.split('|').filter(|word| !word.is_empty() && *word != "0").collect()
    }
    let (now, from, to) = (words(now), words(from), words(to));
    let gone = |word: &str| from.contains(&word) && !to.contains(&word);
    let known = from.iter().all(|word| to.contains(word) || now.contains(word));
    if !known {
        return or_none(&to);
    }
    let mut left: Vec<&str> = now.iter().copied().filter(|word| !gone(word)).collect();
    for word in to {
        if !left.contains(&word) && !from.contains(&word) {
            left.push(word);
        }
    }
    or_none(&left)
}

fn or_none(words: &[&str]) -> String {
    if words.is_empty() { "0".to_owned() } else { words.join("|") }
}

/// Waits or signals after an edit: of a semaphore's stages, or of the semaphore itself.
pub(super) fn semaphore(now: &str, name: &str, from: &str, to: &str) -> String {
    let of = |entry: &str, name: &str| {
        entry
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '=', '>']))
    };
    let mut left = Vec::new();
    let mut gone = false;
    for entry in now.split(',').filter(|entry| !entry.is_empty() && *entry != "none") {
        if to == "none" && of(entry, from) {
            gone = true;
            continue;
        }
        match entry.rsplit_once(':') {
            Some((semaphore, _)) if of(entry, name) && to != "none" => {
                left.push(format!("{semaphore}:{to}"));
                gone = true;
            }
            _ => left.push(entry.to_owned()),
        }
    }
    if !gone && to != "none" {
        left.push(to.to_owned());
    }
    left.join(",")
}

/// References of a subpass after an edit of one of them. A hole keeps the others' positions.
pub(super) fn reference(now: &str, from: &str, to: &str) -> String {
    let name = |entry: &str| entry.split(':').next().unwrap_or_default().to_owned();
    let mut found = false;
    let mut left: Vec<String> = Vec::new();
    for entry in now.split(',').filter(|entry| !entry.is_empty() && *entry != "none") {
        if !found && name(entry) == name(from) && from != "UNUSED" {
            found = true;
            left.push(if to == "UNUSED" { "-".to_owned() } else { to.to_owned() });
        } else {
            left.push(entry.to_owned());
        }
    }
    if !found && to != "UNUSED" {
        left.push(to.to_owned());
    }
    while left.last().is_some_and(|entry| entry == "-") {
        left.pop();
    }
    left.join(",")
}

/// Images that a draw reads, after one stands in the place of another.
pub(super) fn instead(now: &str, from: &str, to: &str) -> Result<String, String> {
    if !now.split(',').any(|entry| entry == from) {
        return Err(format!("`{from}` is not read by name here"));
    }
    let entries = now.split(',').map(|entry| if entry == from { to } else { entry });
    Ok(entries.collect::<Vec<_>>().join(","))
}
