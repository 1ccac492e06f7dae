//! Expressions of rules, and their parser: `100 * (1 - wait_s_mean[qna] / wait_s_mean[first-fit; machine=8x8])`.
//!
//!
//! A name before square brackets is a column of the results at a point. The coordinates of the point are separated by
//! semicolons; one without a name is the allocator. A name before round brackets is a function. Any other name is a
//! variable or a number. `{variables}` may stand within names and coordinates.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, multispace0, none_of, one_of};
use nom::combinator::{all_consuming, map, map_res, recognize};
use nom::error::Error;
use nom::multi::{fold_many0, many0, many1, separated_list0};
use nom::sequence::{delimited, preceded, separated_pair};
use nom::{IResult, Parser};
use serde::Deserialize;

use super::template::Template;
use super::value::Operation;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Expr {
    /// A number, or the name of a variable.
    Name(Template),
    /// A column of the results at a point, with those coordinates that differ from the defaults of the file.
    Column(Template, Vec<(Field, Template)>),
    /// A function and its arguments.
    Call(Function, Vec<Expr>),
    /// The negative of an expression.
    Negated(Box<Expr>),
    /// An operation on two expressions.
    Both(Box<Expr>, Operation, Box<Expr>),
}

/// A coordinate of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Field {
    Dataset,
    Log,
    Machine,
    Scheduler,
    Allocator,
    Network,
    Rules,
    Scale,
}

/// The functions of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Function {
    /// The number without its interval.
    Mean,
    /// The absolute value.
    Abs,
    /// The natural logarithm.
    Ln,
    /// The mean of the first divided by the mean of the second, over common workloads.
    Share,
    /// The difference of the first from the second over common workloads, in percent of the second.
    Above,
    /// The mean of an expression over the workloads that all its columns have.
    Each,
    /// The median of an expression over the rounds that all its columns have.
    Rounds,
    /// The first value of a set for which the second expression is above 0, or else the third expression.
    First,
    /// The largest value of the last expression, over the product of the sets before it.
    Largest,
    /// The smallest value of the last expression, over the product of the sets before it.
    Least,
    /// The third expression for that value of a set for which the second is largest.
    AtLargest,
    /// Kendall's rank correlation of a curve, with the deviation that chance explains. A set, x and y give the points,
    /// here and in the functions below.
    Tau,
    /// The largest distance of a point of a curve below any point before it, as a share.
    LargestFall,
    /// The number of steps down of a curve; with a fourth expression, of steps deeper than this share.
    StepsDown,
    /// The deepest step down of a curve, as a share.
    DeepestStep,
    /// The distance in x between the last two points of a curve.
    LastStep,
    /// The smallest of the other distances in x.
    LeastOtherStep,
    /// The rise of a curve from the first to the last point, as a share of the first.
    Rise,
}

/// The error that a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no expression")]
pub(super) struct ExprError(String);

impl TryFrom<String> for Expr {
    type Error = ExprError;

    fn try_from(text: String) -> Result<Self, ExprError> {
        let parsed = all_consuming(delimited(multispace0, sum, multispace0)).parse(text.as_str());
        parsed.map(|(_, expr)| expr).map_err(|_| ExprError(text.clone()))
    }
}

/// Returns a parser that skips blanks before and after.
fn token<'a, O>(
    parser: impl Parser<&'a str, Output = O, Error = Error<&'a str>>,
) -> impl Parser<&'a str, Output = O, Error = Error<&'a str>> {
    delimited(multispace0, parser, multispace0)
}

fn template(text: &str) -> Result<Template, super::template::TemplateError> {
    Template::parse(text)
}

/// Parses a number or the name of a column, function or variable; each may hold `{variables}`.
fn name(input: &str) -> IResult<&str, &str> {
    let plain = take_while1(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    let variable = recognize((char('{'), take_while1(|c| c != '}'), char('}')));
    recognize(many1(alt((plain, variable)))).parse(input)
}

fn field(input: &str) -> IResult<&str, (Field, Template)> {
    let text = || map_res(recognize(many0(none_of(";]"))), |text: &str| template(text.trim()));
    let named = alt((
        map(tag("dataset"), |_| Field::Dataset),
        map(tag("log"), |_| Field::Log),
        map(tag("machine"), |_| Field::Machine),
        map(tag("scheduler"), |_| Field::Scheduler),
        map(tag("network"), |_| Field::Network),
        map(tag("rules"), |_| Field::Rules),
        map(tag("scale"), |_| Field::Scale),
    ));
    preceded(
        multispace0,
        alt((separated_pair(named, char('='), text()), map(text(), |text| (Field::Allocator, text)))),
    )
    .parse(input)
}

fn factor(input: &str) -> IResult<&str, Expr> {
    let column = (name, delimited(char('['), separated_list0(char(';'), field), char(']')));
    let function = map_res(name, |name| {
        Function::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name))
    });
    let call = (function, delimited(char('('), separated_list0(char(','), sum), char(')')));
    token(alt((
        map(preceded(char('-'), factor), |of| Expr::Negated(Box::new(of))),
        delimited(char('('), sum, char(')')),
        map_res(column, |(name, fields): (&str, Vec<(Field, Template)>)| {
            // `column[]` and `column[; machine=4x4]` take the allocator from the file.
            let given = fields.into_iter().filter(|(_, field)| *field != Template::default());
            template(name).map(|name| Expr::Column(name, given.collect()))
        }),
        map(call, |(function, arguments)| Expr::Call(function, arguments)),
        map_res(name, |name| template(name).map(Expr::Name)),
    )))
    .parse(input)
}

/// Parses operators of one precedence, from left to right.
fn chain<'a>(
    part: fn(&'a str) -> IResult<&'a str, Expr>,
    operators: &'static str,
    input: &'a str,
) -> IResult<&'a str, Expr> {
    let (rest, first) = part(input)?;
    let operation = map(one_of(operators), |operator| match operator {
        '+' => Operation::Add,
        '-' => Operation::Subtract,
        '*' => Operation::Multiply,
        _ => Operation::Divide,
    });
    let both = |a, (operation, b)| Expr::Both(Box::new(a), operation, Box::new(b));
    fold_many0((operation, part), move || first.clone(), both).parse(rest)
}

fn product(input: &str) -> IResult<&str, Expr> {
    chain(factor, "*/", input)
}

fn sum(input: &str) -> IResult<&str, Expr> {
    chain(product, "+-", input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Expr, ExprError> {
        Expr::try_from(text.to_owned())
    }

    fn name(text: &str) -> Expr {
        Expr::Name(Template::parse(text).unwrap_or_default())
    }

    #[test]
    fn products_bind_more_than_sums_and_both_go_from_left_to_right() {
        let both = |a, operation, b| Expr::Both(Box::new(a), operation, Box::new(b));
        let product = both(name("2"), Operation::Multiply, Expr::Negated(Box::new(name("{b}"))));
        let expected = both(both(name("1"), Operation::Subtract, product), Operation::Add, name("c"));
        assert_eq!(parsed(" 1 - 2*-{b} + c"), Ok(expected));
    }

    #[test]
    fn a_column_has_fields_and_a_function_expressions() {
        let template = |text| Template::parse(text).unwrap_or_default();
        let fields = vec![
            (Field::Allocator, template("left-compaction:a=1,b=2")),
            (Field::Rules, template("authors:sizes={sizes}")),
        ];
        let column = Expr::Column(template("{column}"), fields);
        let expected = Expr::Call(Function::First, vec![name("load"), column, name("inf")]);
        let text = "first(load, {column}[left-compaction:a=1,b=2; rules=authors:sizes={sizes}], inf)";
        assert_eq!(parsed(text), Ok(expected));
        for wrong in ["", "1 +", "none(1)", "a[b", "a(b", "1 2"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
