//! Arithmetic of the constant evaluator: one scalar, or one component at a time.

use super::value::{Value, float2};
use spirv::Op;

/// Result of an instruction that works component by component; `None` if it does not, or is not
/// understood. Undefined results (a shift by 32, a division by 0) are unknown.
pub(super) fn evaluate(op: Op, operands: &[Value]) -> Option<Value> {
    match operands {
        [a] => Some(a.map(&unary(op)?)),
        [a, b] => match op {
            Op::VectorTimesScalar => Some(a.map(&|a| Value::multiply(a, b))),
            _ => Some(a.zip(b, &binary(op)?)),
        },
        [condition, a, b] if op == Op::Select => Some(select(condition, a, b)),
        _ => None,
    }
}

/// `a * b + c` of floats.
pub(super) fn multiply_add(a: &Value, b: &Value, c: &Value) -> Value {
    a.zip(b, &Value::multiply).zip(c, &Value::add)
}

/// The condition of a vector may be a vector.
fn select(condition: &Value, a: &Value, b: &Value) -> Value {
    match (condition, a, b) {
        (Value::Bool(true), ..) => a.clone(),
        (Value::Bool(false), ..) => b.clone(),
        (Value::Parts(conditions), Value::Parts(a), Value::Parts(b)) => {
            let both = a.iter().zip(b);
            let select = |(condition, (a, b))| select(condition, a, b);
            Value::Parts(conditions.iter().zip(both).map(select).collect())
        }
        _ => Value::Unknown,
    }
}

/// Whether `evaluate` knows an instruction.
pub(super) fn understands(op: Op) -> bool {
    let other = matches!(op, Op::VectorTimesScalar | Op::Select);
    other || unary(op).is_some() || binary(op).is_some()
}

fn unary(op: Op) -> Option<fn(&Value) -> Value> {
    Some(match op {
        Op::CopyObject | Op::Bitcast => |a| match a {
            Value::FragCoord(_) | Value::Pointer(..) => Value::Unknown,
            a => a.clone(),
        },
        Op::SNegate => |a| bits(a, u32::wrapping_neg),
        Op::Not => |a| bits(a, |a| !a),
        Op::FNegate => |a| Value::multiply(a, &Value::Bits((-1.0f32).to_bits())),
        Op::ConvertSToF => |a| bits(a, |a| (a.cast_signed() as f32).to_bits()),
        Op::ConvertUToF => |a| bits(a, |a| (a as f32).to_bits()),
        Op::ConvertFToS => |a| match a {
            Value::FragCoord(axis) => Value::Pixel(*axis),
            a => in_range(a, -2147483648.0, |a| (a as i32).cast_unsigned()),
        },
        Op::ConvertFToU => |a| match a {
            Value::FragCoord(axis) => Value::Pixel(*axis),
            a => in_range(a, 0.0, |a| a as u32),
        },
        Op::LogicalNot => |a| match a {
            Value::Bool(a) => Value::Bool(!a),
            _ => Value::Unknown,
        },
        _ => return None,
    })
}

fn binary(op: Op) -> Option<fn(&Value, &Value) -> Value> {
    Some(match op {
        Op::FAdd => Value::add,
        Op::FSub => |a, b| match b {
            Value::Bits(_) => float2(a, b, |a, b| a - b),
            _ => Value::Unknown,
        },
        Op::FMul => Value::multiply,
        Op::FDiv => Value::divide,
        op => return integer(op).or_else(|| comparison(op)),
    })
}

fn integer(op: Op) -> Option<fn(&Value, &Value) -> Value> {
    Some(match op {
        Op::IAdd => |a, b| bits2(a, b, |a, b| Some(a.wrapping_add(b))),
        Op::ISub => |a, b| bits2(a, b, |a, b| Some(a.wrapping_sub(b))),
        Op::IMul => |a, b| bits2(a, b, |a, b| Some(a.wrapping_mul(b))),
        Op::UDiv => |a, b| bits2(a, b, u32::checked_div),
        Op::UMod => |a, b| bits2(a, b, u32::checked_rem),
        Op::SDiv => |a, b| signed2(a, b, i32::checked_div),
        // Where both operands are positive, every kind of remainder is the same.
        Op::SRem | Op::SMod => {
            |a, b| signed2(a, b, |a, b| if a >= 0 && b > 0 { Some(a % b) } else { None })
        }
        Op::ShiftLeftLogical => |a, b| bits2(a, b, u32::checked_shl),
        Op::ShiftRightLogical => |a, b| bits2(a, b, u32::checked_shr),
        Op::ShiftRightArithmetic => {
            |a, b| signed2(a, b, |a, b| u32::try_from(b).ok().and_then(|b| a.checked_shr(b)))
        }
        Op::BitwiseAnd => |a, b| bits2(a, b, |a, b| Some(a & b)),
        Op::BitwiseOr => |a, b| bits2(a, b, |a, b| Some(a | b)),
        Op::BitwiseXor => |a, b| bits2(a, b, |a, b| Some(a ^ b)),
        _ => return None,
    })
}

fn comparison(op: Op) -> Option<fn(&Value, &Value) -> Value> {
    Some(match op {
        Op::IEqual => |a, b| compare(a, b, |a, b| a == b),
        Op::INotEqual => |a, b| compare(a, b, |a, b| a != b),
        Op::ULessThan => |a, b| compare(a, b, |a, b| a < b),
        Op::ULessThanEqual => |a, b| compare(a, b, |a, b| a <= b),
        Op::UGreaterThan => |a, b| compare(a, b, |a, b| a > b),
        Op::UGreaterThanEqual => |a, b| compare(a, b, |a, b| a >= b),
        Op::SLessThan => |a, b| compare(a, b, |a, b| a.cast_signed() < b.cast_signed()),
        Op::SLessThanEqual => |a, b| compare(a, b, |a, b| a.cast_signed() <= b.cast_signed()),
        Op::SGreaterThan => |a, b| compare(a, b, |a, b| a.cast_signed() > b.cast_signed()),
        Op::SGreaterThanEqual => |a, b| compare(a, b, |a, b| a.cast_signed() >= b.cast_signed()),
        Op::FOrdEqual => |a, b| compare_floats(a, b, |a, b| a == b),
        Op::FOrdLessThan => |a, b| compare_floats(a, b, |a, b| a < b),
        Op::FOrdLessThanEqual => |a, b| compare_floats(a, b, |a, b| a <= b),
        Op::FOrdGreaterThan => |a, b| compare_floats(a, b, |a, b| a > b),
        Op::FOrdGreaterThanEqual => |a, b| compare_floats(a, b, |a, b| a >= b),
        Op::LogicalAnd => |a, b| logical(a, b, |a, b| a && b),
        Op::LogicalOr => |a, b| logical(a, b, |a, b| a || b),
        _ => return None,
    })
}

fn bits(a: &Value, f: impl Fn(u32) -> u32) -> Value {
    match a {
        Value::Bits(a) => Value::Bits(f(*a)),
        _ => Value::Unknown,
    }
}

fn bits2(a: &Value, b: &Value, f: impl Fn(u32, u32) -> Option<u32>) -> Value {
    match (a, b) {
        (Value::Bits(a), Value::Bits(b)) => f(*a, *b).map_or(Value::Unknown, Value::Bits),
        _ => Value::Unknown,
    }
}

fn signed2(a: &Value, b: &Value, f: impl Fn(i32, i32) -> Option<i32>) -> Value {
    bits2(a, b, |a, b| f(a.cast_signed(), b.cast_signed()).map(i32::cast_unsigned))
}

fn compare(a: &Value, b: &Value, f: impl Fn(u32, u32) -> bool) -> Value {
    match (a, b) {
        (Value::Bits(a), Value::Bits(b)) => Value::Bool(f(*a, *b)),
        _ => Value::Unknown,
    }
}

fn compare_floats(a: &Value, b: &Value, f: impl Fn(f32, f32) -> bool) -> Value {
    compare(a, b, |a, b| f(f32::from_bits(a), f32::from_bits(b)))
}

fn logical(a: &Value, b: &Value, f: impl Fn(bool, bool) -> bool) -> Value {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(f(*a, *b)),
        _ => Value::Unknown,
    }
}

/// A conversion to an integer, defined only where the value fits.
fn in_range(a: &Value, least: f32, f: impl Fn(f32) -> u32) -> Value {
    match a.float() {
        Some(a) if a >= least && a < 2147483648.0 => Value::Bits(f(a)),
        _ => Value::Unknown,
    }
}
