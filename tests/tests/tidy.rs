//! The invariants of the README, read off the source tree. Every failure names file and line.

#[path = "tidy/docs.rs"]
mod docs;
#[path = "tidy/shape.rs"]
mod shape;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/walls.rs"]
mod walls;

use source::{File, blank};

/// The scanner must see code and nothing else, or the other tests prove nothing.
#[test]
fn comments_and_strings_are_no_code() {
    let text = concat!(
        "let a = \"unsafe \\\" {\"; // unsafe\n",
        "/* unsafe /* nested */ unsafe */ let b = '\"';\n",
        "let c: &'static str = r#\"unsafe \" {\"#; let d = b'{'; let e = '\\'';\n",
        "let bar = br\"unsafe\"; unsafe { f() }\n",
    );
    let code = blank(text);
    assert_eq!(code.len(), text.len());
    let found: Vec<_> = source::words(&code, "unsafe").map(|(_, line)| line).collect();
    assert_eq!(found, [3], "{code}");
    assert_eq!(code.matches('{').count(), 1, "{code}");
    assert!(code.contains("&'static str"), "{code}");
}

#[test]
fn functions_are_found_with_their_ends() {
    let text = "fn a<T: Fn(u32) -> u32>(x: [u8; 2]) -> T\nwhere T: Copy {\n  { }\n}\n\
                trait B { fn c(&self); fn d(&self) {\n} }\ntype E = fn(u32) -> u32;\n";
    let file = File::new("layer/x.rs", text);
    let found: Vec<_> =
        file.functions().iter().map(|f| (f.name.clone(), f.first, f.last)).collect();
    assert_eq!(found, [("a".to_owned(), 0, 3), ("d".to_owned(), 4, 5)]);
}

#[test]
fn test_code_is_told_apart() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\n";
    let file = File::new("layer/x.rs", text);
    assert_eq!(file.own_code().count(), 1);
    let outside = File::new("layer/x.rs", "#[cfg(test)]\nmod tests;\nfn a() {}\n");
    assert_eq!(outside.own_code().count(), 3);
}
