//! Passes in words: the lines in which ground truth describes them.
//!
//! `fb W H [LAYERS]`, `area X Y W H`, `dynamic`, `att FORMAT SAMPLES LOAD STORE SLOAD SSTORE ..`,
//! `sub color=0,1 ds=2 input=0 resolve=3 dsresolve=4 preserve=5 view=3`,
//! `dep SRC DST STAGES STAGES ACCESS ACCESS FLAGS`, `op draw N ..`, `op secondary N`, `op next`,
//! `op barrier STAGES STAGES ..`, `op clear ASPECT`.

use ash::vk;

use super::shape::{Area, Attachment, Barrier, Dependency, PassShape, Subpass};
use crate::format;

/// Reads a pass from its lines.
///
/// # Errors
///
/// The line that cannot be read, and why.
pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<PassShape, String> {
    let mut pass = PassShape { layers: 1, draws: Some(0), ..PassShape::default() };
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((verb, rest)) = words.split_first() else { continue };
        let read = match *verb {
            "fb" => framebuffer(rest, &mut pass),
            "area" => area(rest, &mut pass),
            "dynamic" => {
                pass.dynamic = true;
                Ok(())
            }
            "fdm" => {
                pass.density_map = true;
                Ok(())
            }
            "att" => attachment(rest).map(|attachment| pass.attachments.push(attachment)),
            "sub" => subpass(rest).map(|subpass| pass.subpasses.push(subpass)),
            "dep" => dependency(rest).map(|dependency| pass.dependencies.push(dependency)),
            "op" => operation(rest, &mut pass),
            _ => Err(format!("unknown word `{verb}`")),
        };
        read.map_err(|message| format!("`{line}`: {message}"))?;
    }
    if pass.area == Area::default() && !pass.dynamic {
        pass.area = Area { width: pass.width, height: pass.height, ..Area::default() };
    }
    if !pass.is_sound() {
        return Err("the pass has no subpass, or names an attachment that it has not".to_owned());
    }
    if pass.dynamic {
        renumber(&mut pass);
    }
    Ok(pass)
}

/// A pass of one subpass that clears and stores colour and clears depth, over the whole
/// framebuffer: the pass of a table of bin sizes.
#[must_use]
pub fn simple(size: [u32; 2], views: u32, samples: u32, formats: &[vk::Format]) -> PassShape {
    let mut pass = PassShape::new(size[0], size[1]);
    let mut subpass = Subpass::default();
    if views > 1 {
        subpass.view_mask = u32::MAX >> (u32::BITS - views.min(u32::BITS));
    }
    for (index, format) in formats.iter().enumerate() {
        let mut attachment = Attachment::new(*format, samples);
        attachment.load = vk::AttachmentLoadOp::CLEAR;
        attachment.stencil_load = vk::AttachmentLoadOp::CLEAR;
        if format::is_depth_stencil(*format) {
            subpass.depth_stencil = Some(index);
        } else {
            subpass.color.push(Some(index));
            attachment.store = vk::AttachmentStoreOp::STORE;
        }
        pass.attachments.push(attachment);
    }
    pass.subpasses = vec![subpass];
    pass
}

fn number(word: &str) -> Result<u32, String> {
    let parsed = match word.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => word.parse(),
    };
    parsed.map_err(|_| format!("`{word}` is not a number"))
}

fn numbers<const N: usize>(words: &[&str]) -> Result<[u32; N], String> {
    let mut numbers = [0; N];
    for (index, number_out) in numbers.iter_mut().enumerate() {
        let word = words.get(index).ok_or_else(|| format!("{N} numbers are needed"))?;
        *number_out = number(word)?;
    }
    Ok(numbers)
}

fn framebuffer(words: &[&str], pass: &mut PassShape) -> Result<(), String> {
    [pass.width, pass.height] = numbers(words)?;
    if let Some(layers) = words.get(2) {
        pass.layers = number(layers)?;
    }
    if pass.area == Area::default() {
        pass.area = Area { width: pass.width, height: pass.height, ..Area::default() };
    }
    Ok(())
}

fn area(words: &[&str], pass: &mut PassShape) -> Result<(), String> {
    let [x, y, width, height] = numbers(words)?;
    pass.area = Area { x, y, width, height };
    Ok(())
}

fn load_op(word: &str) -> Result<vk::AttachmentLoadOp, String> {
    match word {
        "load" => Ok(vk::AttachmentLoadOp::LOAD),
        "clear" => Ok(vk::AttachmentLoadOp::CLEAR),
        "dc" => Ok(vk::AttachmentLoadOp::DONT_CARE),
        "none" => Ok(vk::AttachmentLoadOp::NONE_EXT),
        _ => Err(format!("`{word}` is no load operation")),
    }
}

fn store_op(word: &str) -> Result<vk::AttachmentStoreOp, String> {
    match word {
        "store" => Ok(vk::AttachmentStoreOp::STORE),
        "dc" => Ok(vk::AttachmentStoreOp::DONT_CARE),
        "none" => Ok(vk::AttachmentStoreOp::NONE),
        _ => Err(format!("`{word}` is no store operation")),
    }
}

fn attachment(words: &[&str]) -> Result<Attachment, String> {
    let [format, samples, load, store, stencil_load, stencil_store, ..] = words else {
        return Err("a format, samples and four operations are needed".to_owned());
    };
    let known = format::by_name(format).ok_or_else(|| format!("unknown format `{format}`"))?;
    Ok(Attachment {
        load: load_op(load)?,
        store: store_op(store)?,
        stencil_load: load_op(stencil_load)?,
        stencil_store: store_op(stencil_store)?,
        mutable: words.contains(&"mutable"),
        ..Attachment::new(known, number(samples)?)
    })
}

fn indices(list: &str) -> Result<Vec<Option<usize>>, String> {
    let index = |word: &str| match word {
        "-" | "-1" | "x" | "none" | "unused" => Ok(None),
        word => number(word).map(|index| usize::try_from(index).ok()),
    };
    list.split(',').map(index).collect()
}

fn subpass(words: &[&str]) -> Result<Subpass, String> {
    let mut subpass = Subpass::default();
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`"))?;
        let single = || indices(value).map(|list| list.first().copied().flatten());
        match key {
            "color" => subpass.color = indices(value)?,
            "resolve" => subpass.resolve = indices(value)?,
            "input" => subpass.input = indices(value)?,
            "preserve" => subpass.preserve = indices(value)?.into_iter().flatten().collect(),
            "ds" => subpass.depth_stencil = single()?,
            "dsresolve" => subpass.depth_stencil_resolve = single()?,
            "view" => subpass.view_mask = number(value)?,
            _ => return Err(format!("unknown key `{key}`")),
        }
    }
    Ok(subpass)
}

fn flags<T: std::ops::BitOr<Output = T> + Default>(
    words: &str,
    name: &str,
    known: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    words.split('|').try_fold(T::default(), |flags, word| match word {
        "none" | "0" => Ok(flags),
        word => {
            known(word).map(|bit| flags | bit).ok_or_else(|| format!("unknown {name} `{word}`"))
        }
    })
}

fn stages(words: &str) -> Result<vk::PipelineStageFlags2, String> {
    use vk::PipelineStageFlags2 as Stage;
    flags(words, "stage", |word| {
        Some(match word {
            "top" => Stage::TOP_OF_PIPE,
            "bottom" => Stage::BOTTOM_OF_PIPE,
            "indirect" | "ind" | "draw" => Stage::DRAW_INDIRECT,
            "vin" => Stage::VERTEX_INPUT,
            "vert" => Stage::VERTEX_SHADER,
            "tesc" => Stage::TESSELLATION_CONTROL_SHADER,
            "tese" | "tess" => Stage::TESSELLATION_EVALUATION_SHADER,
            "geom" => Stage::GEOMETRY_SHADER,
            "frag" => Stage::FRAGMENT_SHADER,
            "early" => Stage::EARLY_FRAGMENT_TESTS,
            "late" => Stage::LATE_FRAGMENT_TESTS,
            "color" => Stage::COLOR_ATTACHMENT_OUTPUT,
            "comp" | "compute" => Stage::COMPUTE_SHADER,
            "xfer" | "transfer" => Stage::ALL_TRANSFER,
            "host" => Stage::HOST,
            "allgfx" => Stage::ALL_GRAPHICS,
            "all" => Stage::ALL_COMMANDS,
            _ => return None,
        })
    })
}

fn access(words: &str) -> Result<vk::AccessFlags2, String> {
    use vk::AccessFlags2 as Access;
    flags(words, "access", |word| {
        Some(match word {
            "ir" | "ind" => Access::INDIRECT_COMMAND_READ,
            "idx" => Access::INDEX_READ,
            "vr" => Access::VERTEX_ATTRIBUTE_READ,
            "ur" => Access::UNIFORM_READ,
            "input" => Access::INPUT_ATTACHMENT_READ,
            "sr" => Access::SHADER_READ,
            "sw" => Access::SHADER_WRITE,
            "cr" => Access::COLOR_ATTACHMENT_READ,
            "cw" => Access::COLOR_ATTACHMENT_WRITE,
            "dr" => Access::DEPTH_STENCIL_ATTACHMENT_READ,
            "dw" => Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
            "xr" => Access::TRANSFER_READ,
            "xw" => Access::TRANSFER_WRITE,
            "hr" => Access::HOST_READ,
            "hw" => Access::HOST_WRITE,
            "mr" => Access::MEMORY_READ,
            "mw" => Access::MEMORY_WRITE,
            _ => return None,
        })
    })
}

fn dependency_flags(words: &str) -> Result<vk::DependencyFlags, String> {
    use vk::DependencyFlags as Flags;
    flags(words, "flag", |word| {
        Some(match word {
            "region" => Flags::BY_REGION,
            "view" => Flags::VIEW_LOCAL,
            "device" => Flags::DEVICE_GROUP,
            "feedback" | "loop" => Flags::FEEDBACK_LOOP_EXT,
            _ => return None,
        })
    })
}

fn dependency(words: &[&str]) -> Result<Dependency, String> {
    let [src, dst, src_stages, dst_stages, src_access, dst_access, flags, ..] = words else {
        return Err("seven words are needed".to_owned());
    };
    let end = |word: &str| match word {
        "ext" => Ok(vk::SUBPASS_EXTERNAL),
        word => number(word),
    };
    Ok(Dependency {
        src: end(src)?,
        dst: end(dst)?,
        src_stages: stages(src_stages)?,
        dst_stages: stages(dst_stages)?,
        src_access: access(src_access)?,
        dst_access: access(dst_access)?,
        flags: dependency_flags(flags)?,
    })
}

fn operation(words: &[&str], pass: &mut PassShape) -> Result<(), String> {
    let (verb, rest) = words.split_first().ok_or("an operation is needed")?;
    match *verb {
        "draw" | "secondary" => {
            let [count] = numbers(rest)?;
            pass.draws = pass.draws.map(|draws| draws.saturating_add(count));
            let asks =
                |key: &str| rest.iter().any(|word| word.contains(key) && !word.ends_with("=0"));
            pass.tessellation |= asks("tess");
            pass.feedback_loop |= asks("feedback");
            pass.ordered_access |= asks("raster_order");
        }
        "barrier" => {
            let [src, dst, ..] = rest else { return Err("two stage masks are needed".to_owned()) };
            let (src_stages, dst_stages) = (stages(src)?, stages(dst)?);
            pass.barriers.push(Barrier { src_stages, dst_stages });
        }
        // Subpasses have their own lines, and the rest draws nothing.
        "next" | "clear" | "timestamp" | "query" | "bind" | "push" | "label" => {}
        _ => return Err(format!("unknown operation `{verb}`")),
    }
    Ok(())
}

/// Dynamic rendering has no list of attachments. The driver numbers each colour attachment with
/// its resolve target behind it, then depth/stencil with its own.
fn renumber(pass: &mut PassShape) {
    let Some(subpass) = pass.subpasses.first() else { return };
    let colors = subpass.color.iter().enumerate();
    let with_targets = colors.flat_map(|(slot, color)| {
        [*color, color.and(subpass.resolve.get(slot).copied().flatten())]
    });
    let depth = [subpass.depth_stencil, subpass.depth_stencil_resolve];
    let mut order: Vec<usize> = with_targets.chain(depth).flatten().collect();
    order.extend(0..pass.attachments.len());
    let mut seen = vec![false; pass.attachments.len()];
    order.retain(|index| !std::mem::replace(&mut seen[*index], true));
    let place = |index: &mut usize| {
        *index = order.iter().position(|old| old == index).unwrap_or(*index);
    };
    for subpass in &mut pass.subpasses {
        let lists = [&mut subpass.color, &mut subpass.resolve, &mut subpass.input];
        lists.into_iter().flatten().flatten().for_each(place);
        subpass.preserve.iter_mut().for_each(place);
        subpass.depth_stencil.iter_mut().for_each(place);
        subpass.depth_stencil_resolve.iter_mut().for_each(place);
    }
    pass.attachments = order.iter().map(|old| pass.attachments[*old].clone()).collect();
}
