//! Whether a vertex shader makes one triangle over the whole viewport.

use super::interface::interface;
use super::machine::Machine;
use super::module::{EntryPoint, Module};
use super::value::Value;
use spirv::{BuiltIn, Decoration, StorageClass};

/// Two components of a vertex output that run over the target: clip space (-1, -1) is (0, 0)
/// and (1, 1) is (1, 1). With a viewport of positive height that is the framebuffer's own
/// direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FullscreenUv {
    /// `Location` of the output.
    pub location: u32,
    /// First component of the two.
    pub component: u32,
    /// The second component runs the other way: right for a viewport of negative height.
    pub flipped_y: bool,
}

/// What three vertices cover.
pub(super) struct Coverage {
    pub covers: bool,
    pub uvs: Vec<FullscreenUv>,
}

/// `None` if the positions are not known.
pub(super) fn coverage(module: &Module, point: &EntryPoint) -> Option<Coverage> {
    let inputs = [0, 1, 2].map(|vertex| {
        move |builtin| match builtin {
            BuiltIn::VertexIndex => Value::Bits(vertex),
            // Of a draw that is not indexed, this is its first vertex.
            BuiltIn::BaseVertex => Value::Bits(0),
            _ => Value::Unknown,
        }
    });
    let [a, b, c] = inputs.each_ref().map(|input| Machine::run(module, point.function, input));
    let runs = [a?, b?, c?];
    let mut corners = [[0.0; 2]; 3];
    let mut inside = true;
    for (corner, run) in corners.iter_mut().zip(&runs) {
        let [x, y, z, w] = position(module, point, run)?;
        // Another w would bend what is interpolated; nobody does that to fill a screen.
        (w == 1.0).then_some(())?;
        inside &= (0.0..=1.0).contains(&z);
        *corner = [x, y];
    }
    let covers = inside && covers(&corners);
    let uvs = if covers { uvs(module, point, &runs, &corners) } else { Vec::new() };
    Some(Coverage { covers, uvs })
}

/// The position a run wrote, if it wrote no other built-in but the point size.
fn position(module: &Module, point: &EntryPoint, run: &Machine) -> Option<[f32; 4]> {
    for (variable, member) in run.stored() {
        let ty = module.pointee(variable)?;
        let builtin = match (module.class(variable)?, member) {
            (StorageClass::Output, _) if module.members(ty).is_empty() => module.builtin(variable),
            (StorageClass::Output, Some(member)) => member_builtin(module, ty, member),
            // A block that is written as a whole has every member written.
            (StorageClass::Output, None) => return None,
            _ => continue,
        };
        matches!(builtin, None | Some(BuiltIn::Position | BuiltIn::PointSize)).then_some(())?;
    }
    let value = interface(module, point, StorageClass::Output).find_map(|variable| {
        if module.builtin(variable) == Some(BuiltIn::Position) {
            return Some(run.output(variable));
        }
        let ty = module.pointee(variable)?;
        let members = 0..module.members(ty).len() as u32;
        let is_position =
            |member: &u32| member_builtin(module, ty, *member) == Some(BuiltIn::Position);
        run.output(variable).at(&[members.into_iter().find(is_position)?])
    })?;
    let part = |at| value.at(&[at])?.float().filter(|part| part.is_finite());
    Some([part(0)?, part(1)?, part(2)?, part(3)?])
}

fn member_builtin(module: &Module, ty: u32, member: u32) -> Option<BuiltIn> {
    module.member_decoration(ty, member, Decoration::BuiltIn).and_then(BuiltIn::from_u32)
}

/// Whether all four corners of clip space lie in the triangle, its edges included.
fn covers(corners: &[[f32; 2]; 3]) -> bool {
    let corners = corners.map(|corner| corner.map(f64::from));
    let edge = |at: usize, [x, y]: [f64; 2]| {
        let ([ax, ay], [bx, by]) = (corners[at], corners[(at + 1) % 3]);
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    };
    let area = edge(0, corners[2]);
    let targets = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    area != 0.0
        && targets.iter().all(|target| (0..3).all(|at| edge(at, *target) * area.signum() >= 0.0))
}

fn uvs(
    module: &Module,
    point: &EntryPoint,
    runs: &[Machine; 3],
    corners: &[[f32; 2]; 3],
) -> Vec<FullscreenUv> {
    let mut uvs = Vec::new();
    for variable in interface(module, point, StorageClass::Output) {
        let Some(location) = module.decoration(variable, Decoration::Location) else { continue };
        let first = module.decoration(variable, Decoration::Component).unwrap_or(0).min(3);
        for at in 0..3 {
            let runs_over = |flipped: bool| {
                runs.iter().zip(corners).all(|(run, [x, y])| {
                    let y = if flipped { -y } else { *y };
                    let part = |at| run.output(variable).at(&[at]).and_then(Value::float);
                    part(at) == Some(x * 0.5 + 0.5) && part(at + 1) == Some(y * 0.5 + 0.5)
                })
            };
            for flipped_y in [false, true] {
                if runs_over(flipped_y) {
                    uvs.push(FullscreenUv { location, component: first + at, flipped_y });
                }
            }
        }
    }
    uvs
}
