//! Work that has nothing to do with a listing's own.

use tilelint::call::listing::parse;
use tilelint_tests::flat::{Block, Flat, blocks};

/// What all names of strangers begin with: `zz_`, and in a second one `yy_`.
pub const PREFIXES: [&str; 2] = ["zz_", "yy_"];

/// Unrelated objects and what is done with them in every frame.
#[derive(Clone, Copy)]
pub struct Stranger {
    /// What it is.
    pub name: &'static str,
    /// Objects, made before all others.
    objects: &'static str,
    /// What each frame does.
    frame: &'static str,
    /// It stands beside another one, with names of its own.
    second: bool,
}

/// Where a stranger does its work.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Submissions of its own, before this one of the frame; in its end where there are fewer.
    Submit(usize),
    /// In each command buffer with passes, before this one; in its end where there are fewer.
    Inside(usize),
}

/// What strangers do in a frame; all else makes objects.
const WORK: [&str; 4] = ["commands", "submit", "wait", "fence-reset"];

/// All strangers.
pub const STRANGERS: &[Stranger] = &[
    Stranger {
        name: "image",
        objects: "image zz_a format=R8G8B8A8_UNORM extent=512x512 usage=SAMPLED|TRANSFER_DST
            image zz_b format=D24_UNORM_S8_UINT extent=512x512 usage=DEPTH_STENCIL_ATTACHMENT
            image zz_c format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT samples=4",
        frame: "",
        second: false,
    },
    Stranger {
        name: "transition",
        objects: "image zz_a format=R8G8B8A8_UNORM extent=512x512 usage=SAMPLED|TRANSFER_DST
            buffer zz_from size=1MiB usage=TRANSFER_SRC",
        frame: "commands zz_commands
            barrier zz_a src_stage=NONE dst_stage=COPY dst_access=TRANSFER_WRITE old=UNDEFINED \
            new=TRANSFER_DST_OPTIMAL
            copy from=zz_from to=zz_a
            barrier zz_a src_stage=COPY dst_stage=FRAGMENT_SHADER src_access=TRANSFER_WRITE \
            dst_access=SHADER_SAMPLED_READ old=TRANSFER_DST_OPTIMAL new=SHADER_READ_ONLY_OPTIMAL
            end
            submit QUEUE commands=zz_commands",
        second: false,
    },
    Stranger {
        name: "pass",
        objects: "image zz_eye format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT \
            memory=xr",
        frame: "commands zz_commands
            pass zz_pass
            attach zz_eye load=CLEAR store=STORE
            draw vertices=300 times=10
            end
            end
            submit QUEUE commands=zz_commands",
        second: false,
    },
    Stranger {
        name: "wasteful passes",
        objects: "image zz_ms format=R8G8B8A8_UNORM extent=1024x1024 samples=4 \
            usage=COLOR_ATTACHMENT
            image zz_map format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|SAMPLED
            image zz_eye format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT memory=xr",
        frame: "commands zz_commands
            pass zz_first
            attach zz_ms load=LOAD store=STORE resolve=zz_map
            draw vertices=300 times=10
            end
            pass zz_second
            attach zz_eye load=LOAD store=STORE
            draw vertices=300 times=10 reads=zz_map
            end
            end
            submit QUEUE commands=zz_commands",
        second: false,
    },
    Stranger {
        name: "queue",
        objects: "queue zz_queue family=5 flags=COMPUTE|TRANSFER
            image zz_a format=R8G8B8A8_UNORM extent=512x512 usage=SAMPLED|STORAGE
            buffer zz_b size=1MiB usage=STORAGE_BUFFER",
        frame: "commands zz_commands
            dispatch groups=8x8x1 writes=zz_a,zz_b
            end
            submit zz_queue commands=zz_commands",
        second: false,
    },
    Stranger {
        name: "busy queue",
        objects: "queue zz_queue family=5 flags=TRANSFER
            semaphore zz_done
            fence zz_fence
            buffer zz_a size=1MiB usage=TRANSFER_SRC
            buffer zz_b size=1MiB usage=TRANSFER_DST",
        frame: "commands zz_commands
            copy from=zz_a to=zz_b
            end
            submit zz_queue commands=zz_commands signal=zz_done
            submit zz_queue commands=zz_commands wait=zz_done:COPY",
        second: false,
    },
    Stranger {
        name: "awaited queue",
        objects: "queue zz_queue family=5 flags=TRANSFER
            fence zz_fence
            buffer zz_a size=1MiB usage=TRANSFER_SRC
            buffer zz_b size=1MiB usage=TRANSFER_DST",
        frame: "commands zz_commands
            copy from=zz_a to=zz_b
            end
            submit zz_queue commands=zz_commands fence=zz_fence
            wait fences=zz_fence took=10000
            fence-reset zz_fence",
        second: false,
    },
    Stranger {
        name: "drawing queue",
        objects: "queue zz_queue
            image zz_ms format=R8G8B8A8_UNORM extent=1024x1024 samples=4 \
            usage=COLOR_ATTACHMENT
            image zz_map format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|SAMPLED
            image zz_eye format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT memory=xr",
        frame: "commands zz_commands
            pass zz_first
            attach zz_ms load=CLEAR store=STORE resolve=zz_map
            draw vertices=300 times=10
            end
            pass zz_second
            attach zz_eye load=CLEAR store=STORE
            draw vertices=300 times=10 reads=zz_map
            end
            end
            submit zz_queue commands=zz_commands",
        second: false,
    },
];

/// Wasteful passes on a queue of their own.
pub fn drawing_queue() -> &'static Stranger {
    STRANGERS.last().expect("there are strangers")
}

impl Stranger {
    /// It does something in each frame.
    pub fn works(&self) -> bool {
        !self.frame.is_empty()
    }

    /// Its objects, and the calls of one frame, as full calls.
    fn calls(&self, queue: &str) -> (Vec<Block>, Vec<Block>) {
        let declared = if self.objects.contains("queue ") { "graphics" } else { queue };
        let queues = format!("queue {declared}\n");
        let text = format!("{queues}{}\n{}\n", self.objects, self.frame).replace("QUEUE", declared);
        let listing = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let flat = Flat::of(&listing);
        let own = |block: &Block| {
            let device = ["device", "memory-type"].contains(&block.verb());
            !device && (block.verb() != "queue" || block.subject() == Some("zz_queue"))
        };
        let text: Vec<String> = flat.blocks.iter().filter(|block| own(block)).map(named).collect();
        let [first, second] = PREFIXES;
        let text = if self.second { text.concat().replace(first, second) } else { text.concat() };
        let (work, objects) = blocks(&text).into_iter().partition(|b| WORK.contains(&b.verb()));
        (objects, work)
    }

    /// The listing with the stranger in it: its objects first, its work in every frame.
    pub fn join(&self, flat: &Flat, place: Place) -> Flat {
        let (objects, work) = self.calls(flat.graphics().unwrap_or("graphics"));
        let mut blocks = match place {
            Place::Submit(at) => with_submits(flat, &work, at),
            Place::Inside(at) => with_commands(flat, &work, at),
        };
        let after = flat.after_device();
        blocks.splice(after..after, objects);
        Flat { blocks, ..flat.clone() }
    }

    /// The same beside another one.
    pub fn again(self) -> Self {
        Self { second: true, ..self }
    }

    /// It can stand in a command buffer of others.
    pub fn fits_inside(&self) -> bool {
        self.works() && !self.objects.contains("queue ")
    }
}

/// The text of a block in which all names are the stranger's.
fn named(block: &Block) -> String {
    let mut out = String::new();
    for line in &block.lines {
        let indent = &line[..line.len() - line.trim_start().len()];
        let words = line.trim_start().split(' ').map(|word| {
            let (key, value) = word.split_once('=').map_or(("", word), |(k, v)| (k, v));
            let names = value.split(',').map(own_name).collect::<Vec<_>>().join(",");
            if key.is_empty() { names } else { format!("{key}={names}") }
        });
        out += indent;
        out += &words.collect::<Vec<_>>().join(" ");
        out.push('\n');
    }
    out
}

/// `view.0` as `zz_view.0`, `default` as `zz_default`.
fn own_name(word: &str) -> String {
    let name = word.split([':', '+', '@']).next().unwrap_or_default();
    let counted = name.rsplit_once('.').is_some_and(|(kind, n)| {
        kind.starts_with(|c: char| c.is_ascii_lowercase()) && n.bytes().all(|b| b.is_ascii_digit())
    });
    if counted || name == "default" { format!("{}{word}", PREFIXES[0]) } else { word.to_owned() }
}

fn with_submits(flat: &Flat, work: &[Block], at: usize) -> Vec<Block> {
    let Some(end) = flat.frame_end else { return flat.blocks.clone() };
    let mut blocks = Vec::new();
    let (mut submits, mut done) = (0, false);
    for block in &flat.blocks {
        let ends = block.verb() == end;
        let here = (block.verb() == "submit" && submits == at) || ends;
        if here && !done {
            blocks.extend(work.iter().cloned());
            done = true;
        }
        submits += usize::from(block.verb() == "submit");
        blocks.push(block.clone());
        if ends {
            (submits, done) = (0, false);
        }
    }
    blocks
}

fn with_commands(flat: &Flat, work: &[Block], at: usize) -> Vec<Block> {
    let lines = work.iter().filter(|block| block.verb() == "commands").flat_map(Block::inside);
    let lines: Vec<String> = lines.cloned().collect();
    let mut blocks = flat.blocks.clone();
    for block in blocks.iter_mut().filter(|block| block.verb() == "commands") {
        // Nothing may come between the instances of a pass that is suspended.
        let whole = !block.lines.iter().any(|line| line.contains("SUSPENDING"));
        let secondary = block.lines[0].contains("level=secondary");
        let passes = block.lines.iter().enumerate().filter(|(_, l)| l.starts_with("  pass "));
        let mut passes: Vec<usize> = passes.map(|(index, _)| index).collect();
        passes.retain(|index| binds_its_own(&block.lines[*index..]));
        if block.lines.len() < 3 || secondary || !whole {
            continue;
        }
        passes.push(block.lines.len() - 1);
        let at = passes[at.min(passes.len() - 1)];
        block.lines.splice(at..at, lines.iter().cloned());
    }
    blocks
}

/// A pass that draws with what was bound before it cannot follow others.
fn binds_its_own(lines: &[String]) -> bool {
    let word = |line: &String| line.trim_start().split(' ').next().unwrap_or_default().to_owned();
    let mut words = lines.iter().map(word);
    words.find(|w| ["draw", "bind-pipeline", "bind-shaders", "end"].contains(&w.as_str()))
        != Some("draw".to_owned())
}
