//! The methods that a wrapper of a store passes on unchanged. The rule: the wrapper names each of them.

/// In an `impl TableStore`, `pass_on!(inner: get, ping);` are methods that call those of `self.inner`. They have the signatures that
/// `async_trait` makes of the trait's declarations, because it does not look into a macro.
macro_rules! pass_on {
    ($inner:tt: $($method:ident),+) => {
        $(pass_on!(@$method $inner);)+
    };
    (@create_tables $inner:tt) => {
        pass_on!(@fn $inner create_tables<'a>(tables: &'a [&'static str]) -> tidings::store::Result<()>);
    };
    (@get $inner:tt) => {
        pass_on!(
            @fn $inner get<'a>(table: &'static str, key: &'a tidings::store::Key)
                -> tidings::store::Result<Option<tidings::store::Entity>>
        );
    };
    (@range $inner:tt) => {
        pass_on!(
            @fn $inner range<'a, 'b>(
                table: &'static str,
                range: &'a tidings::store::RowRange,
                limit: usize,
                continuation: Option<&'b tidings::store::Continuation>
            ) -> tidings::store::Result<tidings::store::Page>
        );
    };
    (@scan $inner:tt) => {
        pass_on!(
            @fn $inner scan<'a>(table: &'static str, continuation: Option<&'a tidings::store::Continuation>)
                -> tidings::store::Result<tidings::store::Page>
        );
    };
    (@ping $inner:tt) => {
        pass_on!(@fn $inner ping<>() -> tidings::store::Result<()>);
    };
    (@fn $inner:tt $name:ident<$($life:lifetime),*>($($argument:ident: $type:ty),*) -> $answer:ty) => {
        fn $name<'s, $($life,)* 'async_trait>(
            &'s self,
            $($argument: $type),*
        ) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = $answer> + ::core::marker::Send + 'async_trait>>
        where
            's: 'async_trait,
            $($life: 'async_trait,)*
            Self: 'async_trait,
        {
            self.$inner.$name($($argument),*)
        }
    };
}
pub(crate) use pass_on;
