//! Rule pages, and the tables of the README. `UPDATE=1` rewrites the tables.

use std::collections::BTreeMap;

use tilelint::rule::Rule;
use tilelint_tests::harness;

use crate::source::{File, Wrong, line_of, tree, words};

const RULES: &str = "layer/tilelint/src/rules";

const SECTIONS: [&str; 8] = [
    "What it does",
    "Why it costs on a tiler",
    "When it is fine",
    "Fix",
    "Bad",
    "Good",
    "Cases",
    "Sources",
];

/// Path of a rule's page.
fn page(rule: &Rule) -> String {
    let chapter = rule.group.name().replace('-', "_");
    format!("{RULES}/{chapter}/{}.md", rule.name.replace('-', "_"))
}

/// Headings of a page outside of fences: level, text and line.
fn headings(text: &str) -> Vec<(usize, &str, usize)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        fenced ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if !fenced && title.starts_with(' ') && title.len() < line.len() {
            found.push((line.len() - title.len(), title.trim(), number));
        }
    }
    found
}

#[test]
fn every_rule_has_its_page() {
    let files = tree();
    let mut wrong = Wrong::default();
    for rule in tilelint::rules::all() {
        let path = page(rule);
        let Some(file) = files.iter().find(|file| file.path == path) else {
            wrong.add(&path, "the page of the rule is missing");
            continue;
        };
        if file.text != rule.page {
            wrong.add(file.at(0), "the rule includes another page");
        }
        check_page(file, rule.name, &mut wrong);
    }
    wrong.check();
}

fn check_page(file: &File, name: &str, wrong: &mut Wrong) {
    let lines: Vec<&str> = file.text.lines().collect();
    let title = format!("# `{name}`");
    if lines.first() != Some(&title.as_str()) {
        wrong.add(file.at(0), format!("the title is `{title}`"));
    }
    // One line: it is the table entry, and the short text of other tools.
    let summary = lines.get(2).copied().unwrap_or_default();
    let alone = lines.get(1) == Some(&"") && lines.get(3).is_none_or(|line| line.is_empty());
    if !alone || !summary.ends_with('.') || summary.starts_with('#') {
        wrong.add(file.at(2), "the first paragraph is one line and ends with a full stop");
    }
    let found = headings(&file.text);
    let sections: Vec<&str> =
        found.iter().filter(|(level, ..)| *level == 2).map(|(_, title, _)| *title).collect();
    if sections != SECTIONS {
        let at = found.iter().filter(|(level, ..)| *level == 2).map(|(.., number)| *number);
        let at = at.zip(SECTIONS).zip(&sections).find(|((_, want), is)| want != *is);
        let line = at.map_or(lines.len().saturating_sub(1), |((number, _), _)| number);
        wrong.add(file.at(line), format!("sections are {sections:?}, not {SECTIONS:?}"));
        return;
    }
    for (index, (level, title, number)) in found.iter().enumerate() {
        let end = found.get(index + 1).map_or(lines.len(), |(.., next)| *next);
        let body = &lines[number + 1..end];
        let holds_more = found.get(index + 1).is_some_and(|(next, ..)| next > level);
        if *level >= 2 && !holds_more && body.iter().all(|line| line.trim().is_empty()) {
            wrong.add(file.at(*number), format!("nothing stands under `{title}`"));
        }
        let fence = |kind: &str| body.iter().any(|line| line.starts_with(&format!("```{kind}")));
        if *level == 2 && ["Bad", "Good"].contains(title) && !holds_more && !fence("calls") {
            wrong.add(file.at(*number), format!("`{title}` shows no calls"));
        }
        if *level == 2 && *title == "Bad" && !holds_more && !fence("report") {
            wrong.add(file.at(*number), "`Bad` shows no report");
        }
    }
}

/// A rule that no list names would never run; a page that no rule has is dead.
#[test]
fn every_rule_file_is_listed() {
    let named: BTreeMap<String, &str> =
        tilelint::rules::all().map(|rule| (page(rule), rule.name)).collect();
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.under(RULES)) {
        if file.path.ends_with(".md") && !named.contains_key(&file.path) {
            wrong.add(file.at(0), "the page of no rule");
        }
        let declares = file.code.contains("static RULE: Rule");
        let md = file.path.replace(".rs", ".md");
        if declares && !named.contains_key(&md) {
            wrong.add(file.at(0), "a rule that its chapter does not list, or misnamed");
        }
    }
    wrong.check();
    assert_eq!(named.len(), tilelint::rules::all().count(), "two rules share a name");
}

#[test]
fn rule_names_and_folds_are_sound() {
    let mut wrong = Wrong::default();
    for rule in tilelint::rules::all() {
        let name = rule.name;
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(letters), "{name}: kebab case");
        assert!(!name.starts_with("no-") && !name.starts_with("avoid-"), "{name}: the bad thing");
        assert!(!rule.checks.is_empty(), "{name} checks nothing");
        for folded in rule.folds {
            if tilelint::rules::by_name(folded).is_none() {
                wrong.add(page(rule).replace(".md", ".rs"), format!("folds unknown {folded}"));
            }
        }
    }
    wrong.check();
}

/// A number that people may choose stands on the rule's page, with its default.
#[test]
fn the_pages_name_the_settings_of_their_rules() {
    let mut wrong = Wrong::default();
    for setting in tilelint::rules::settings() {
        let rule = tilelint::rules::by_name(setting.rule).expect("a setting is of a rule");
        let shown = match setting.default {
            bytes if bytes > 1 << 20 => format!("{} MiB", bytes >> 20),
            number => number.to_string(),
        };
        let about = rule.page.split("\n## ").nth(1).unwrap_or_default();
        let has_default = words(about, &shown).next().is_some();
        if !about.contains(&format!("(`{}`)", setting.name)) || !has_default {
            wrong.add(page(rule), format!("`What it does` does not name `{setting}`, {shown}"));
        }
    }
    wrong.check();
}

#[test]
fn the_readme_lists_the_rules() {
    let mut table = String::from("| rule | level | summary |\n|---|---|---|\n");
    for rule in tilelint::rules::all() {
        let (name, level) = (rule.name, rule.level.word());
        table += &format!("| [`{name}`]({}) | {level} | {} |\n", page(rule), rule.summary());
    }
    compare("README.md", "rules", &table);
}

#[test]
fn the_readme_lists_the_settings() {
    let mut table = String::from(
        "| setting | in `tilelint.toml` | variable | default | what |\n|---|---|---|---|---|\n",
    );
    for setting in tilelint::config::SETTINGS {
        let default = match setting.default {
            "" => "none".to_owned(),
            value => format!("`{value}`"),
        };
        let (name, file, variable) = (setting.name, setting.file, setting.variable());
        let about = setting.about;
        table += &format!("| {name} | `{file}` | `{variable}` | {default} | {about} |\n");
    }
    compare("README.md", "settings", &table);
}

/// The fences of a kind in a document: first line (from 1) and text.
fn fences<'a>(text: &'a str, kind: &str) -> Vec<(usize, &'a str)> {
    let open = format!("```{kind}\n");
    let starts = text.match_indices(&open).map(|(at, _)| at + open.len());
    starts
        .map(|at| {
            let inner = text[at..].split("\n```").next().unwrap_or_default();
            (text[..at].matches('\n').count() + 1, inner)
        })
        .collect()
}

/// The example of the report's document holds every key that the schema has, in its order.
#[test]
fn the_report_is_documented() {
    let path = harness::root().join("layer/docs/report.md");
    let text = std::fs::read_to_string(path).expect("layer/docs/report.md is there");
    let examples = fences(&text, "json");
    let [(line, example)] = examples[..] else { panic!("layer/docs/report.md: one example") };
    let report = tilelint::report::from_json(example)
        .unwrap_or_else(|error| panic!("layer/docs/report.md:{line}: {error}"));
    let shown: serde_json::Value = serde_json::from_str(example).expect("it is JSON");
    let written = tilelint::report::to_json(&report);
    let written: serde_json::Value = serde_json::from_str(&written).expect("it is JSON");
    let pretty = |value| serde_json::to_string_pretty(value).expect("a value can be written");
    let (shown, written) = (pretty(&shown), pretty(&written));
    let differs = shown.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert!(shown == written, "layer/docs/report.md:{line}: shown and written differ: {differs:?}");
    // Every key is explained in the text around the example.
    let around = text.replace(example, "");
    let mut wrong = Wrong::default();
    for key in written.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\": "))
    {
        let key = key.0;
        let own = ["main", "quest2", "mali-g78", "vkCmdFooNV", "1000999000"].contains(&key);
        let named = around.split('`').skip(1).step_by(2);
        let known =
            |code: &str| code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == key);
        if !own && !named.into_iter().any(known) {
            wrong.add("layer/docs/report.md", format!("`{key}` is not explained"));
        }
    }
    wrong.check();
}

/// Every key that the listing's reader asks for stands in the listing's document.
#[test]
fn the_listing_is_documented() {
    let files = tree();
    let document = files.iter().find(|file| file.path == "layer/docs/listing.md");
    let document = &document.expect("layer/docs/listing.md is there").text;
    let mut wrong = Wrong::default();
    let mut keys = 0;
    for file in files.iter().filter(|file| file.under("layer/tilelint/src/call/listing")) {
        for (at, _) in file.text.match_indices("row.") {
            let call =
                file.text[at + 4..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            let Some(arguments) = call.strip_prefix('(') else { continue };
            let Some(rest) = arguments.trim_start().strip_prefix('"') else { continue };
            let key = rest.split('"').next().unwrap_or_default();
            // Messages and kinds of objects are given as texts, too.
            if !key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
                continue;
            }
            keys += 1;
            if words(document, key).next().is_none() {
                wrong.add(file.at(line_of(&file.text, at)), format!("`{key}` is not documented"));
            }
        }
    }
    wrong.check();
    assert!(keys > 100, "the reader asks for keys in another way");
}

/// Settings shown to people have no mistake.
#[test]
fn settings_of_the_documents_are_right() {
    let mut wrong = Wrong::default();
    let mut read = 0;
    for file in tree() {
        let shown = match file.path.as_str() {
            "README.md" => fences(&file.text, "toml"),
            "manifest/tilelint.toml" => vec![(1, file.text.as_str())],
            _ => continue,
        };
        for (line, text) in shown {
            read += 1;
            for problem in tilelint::config::parse(text, "tilelint.toml").1 {
                wrong.add(file.at(line - 1), problem);
            }
        }
    }
    wrong.check();
    assert!(read >= 1, "the README shows no settings");
}

/// Listings shown to people can be read, and so can the demo's.
#[test]
fn listings_of_the_documents_can_be_read() {
    let mut wrong = Wrong::default();
    let mut read = 0;
    for file in tree() {
        let listings = match () {
            () if file.under("layer/docs") || file.path == "README.md" => {
                fences(&file.text, "calls")
            }
            () if file.under("tests/listings") && file.path.ends_with(".calls") => {
                vec![(1, file.text.as_str())]
            }
            () => continue,
        };
        for (line, text) in listings.into_iter().filter(|(_, text)| !text.starts_with("verb ")) {
            read += 1;
            if let Err(error) = tilelint::call::listing::parse(text) {
                wrong.add(file.at(line - 1), format!("{error:?}"));
            }
        }
    }
    wrong.check();
    assert!(read >= 2, "no listing was found");
}

/// The instructions that the cost's page names are those that the test compares with.
#[test]
fn the_cost_lists_the_instructions() {
    let text = std::fs::read_to_string(harness::root().join("tests/data/instructions.json"));
    let known: serde_json::Value =
        serde_json::from_str(&text.expect("the file is there")).expect("it is JSON");
    let mut table = String::from("| call | tilelint | all rules |\n|---|---|---|\n");
    for measure in tilelint_tests::counted::MEASURES {
        let [default, all] = ["default", "all"].map(|layer| &known[measure.name][layer]);
        table += &format!("| `{}` | {default} | {all} |\n", measure.name);
    }
    compare("layer/docs/cost.md", "instructions", &table);
}

/// Compares a table of a document, between `<!-- name -->` and `<!-- /name -->`.
fn compare(file: &str, name: &str, table: &str) {
    let path = harness::root().join(file);
    let text = std::fs::read_to_string(&path).expect("the repository has the document");
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&open).expect("it marks the table's begin");
    let (shown, after) = rest.split_once(&close).expect("it marks the table's end");
    if shown == table {
        return;
    }
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        let new = format!("{before}{open}{table}{close}{after}");
        std::fs::write(&path, new).expect("the document can be written");
        return;
    }
    let first = before.matches('\n').count() + 2;
    let at = shown.lines().zip(table.lines()).take_while(|(a, b)| a == b).count();
    let want = table.lines().nth(at).unwrap_or("the table's end");
    panic!("{file}:{}: not as in the code, which has\n{want}\n(UPDATE=1)", first + at);
}

/// Links to files of the repository lead somewhere.
#[test]
fn links_lead_somewhere() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.path.ends_with(".md")) {
        let folder = harness::root().join(&file.path);
        let folder = folder.parent().expect("a file lies in a folder").to_path_buf();
        let mut fenced = false;
        for (number, line) in file.text.lines().enumerate() {
            fenced ^= line.starts_with("```");
            for link in line.split("](").skip(1).filter(|_| !fenced) {
                let link = link.split([')', '#']).next().unwrap_or_default();
                let outside = link.contains("://") || link.is_empty();
                if !outside && !folder.join(link).exists() {
                    wrong.add(file.at(number), format!("there is no {link}"));
                }
            }
        }
    }
    wrong.check();
}
