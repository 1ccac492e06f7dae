//! Expressions of rules: `100 * (1 - wait_s_mean[qna] / wait_s_mean[first-fit; machine=8x8])`.
//!
//! A name followed by square brackets is a column of the results at a point, whose fields are parted by semicolons; a
//! field without a name is the allocator. A name followed by round brackets is a function; any other name is a variable
//! or a number. `{variables}` may stand within names and fields.

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
    /// A number, or a variable.
    Name(Template),
    /// A column of the results, and the fields of the point that are not the defaults of the file.
    Column(Template, Vec<(Field, Template)>),
    /// A function of expressions.
    Call(Function, Vec<Expr>),
    /// An expression with the other sign.
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

/// What can be asked of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Function {
    /// The number without its interval.
    Mean,
    /// The distance from 0.
    Abs,
    /// The natural logarithm.
    Ln,
    /// The first by the second over common workloads: the ratio of the means.
    Share,
    /// By how many percent of the second the first is above it over common workloads.
    Above,
    /// The mean of an expression over the workloads that all its columns have.
    Each,
    /// The median of an expression over the rounds that all its columns have.
    Rounds,
    /// The first value of a set for which the second expression is above 0; the third one if there is none.
    First,
    /// The largest value of the last expression, over the product of the sets before it.
    Largest,
    /// The least one.
    Least,
    /// Over a set, the third expression where the second one is largest.
    AtLargest,
    /// Of the points of a curve, which a set, x and y give: Kendall's rank correlation, and how far off chance may
    /// bring it.
    Tau,
    /// Of a curve: the most that a point lies below any before it, as a share.
    LargestFall,
    /// Of a curve: how many points lie deeper than the one before; with a fourth expression, by more than this share.
    StepsDown,
    /// Of a curve: the deepest step down, as a share.
    DeepestStep,
    /// Of a curve: the step in x to the last point.
    LastStep,
    /// Of a curve: the least of the other steps in x.
    LeastOtherStep,
    /// Of a curve: by what share the last point lies above the first.
    Rise,
}

/// Why a text is no expression.
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

/// Returns a parser between blanks.
fn token<'a, O>(
    parser: impl Parser<&'a str, Output = O, Error = Error<&'a str>>,
) -> impl Parser<&'a str, Output = O, Error = Error<&'a str>> {
    delimited(multispace0, parser, multispace0)
}

fn template(text: &str) -> Result<Template, super::template::TemplateError> {
    Template::parse(text)
}

/// Numbers, names of columns, functions and variables, all of which may hold `{variables}`.
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
            // `column[]` and `column[; machine=4x4]` leave the allocator to the file.
            let given = fields.into_iter().filter(|(_, field)| *field != Template::default());
            template(name).map(|name| Expr::Column(name, given.collect()))
        }),
        map(call, |(function, arguments)| Expr::Call(function, arguments)),
        map_res(name, |name| template(name).map(Expr::Name)),
    )))
    .parse(input)
}

/// Expressions of one precedence, from left to right.
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
