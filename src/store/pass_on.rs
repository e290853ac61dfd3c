//! The methods that a wrapper of a store passes on unchanged. The rule: the wrapper names each of them.

/// In an `impl TableStore`, `pass_on!(inner: get, ping);` are methods that call those of `self.inner`. They have the signatures that
/// `async_trait` makes of the trait's declarations, because it does not look into a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __pass_on {
    ($inner:tt: $($method:ident),+) => {
        $($crate::store::pass_on!(@$method $inner);)+
    };
    (@create_tables $inner:tt) => {
        $crate::store::pass_on!(@fn $inner create_tables<'a>(tables: &'a [&'static str]) -> $crate::store::Result<()>);
    };
    (@get $inner:tt) => {
        $crate::store::pass_on!(
            @fn $inner get<'a>(table: &'static str, key: &'a $crate::store::Key)
                -> $crate::store::Result<Option<$crate::store::Entity>>
        );
    };
    (@range $inner:tt) => {
        $crate::store::pass_on!(
            @fn $inner range<'a, 'b>(
                table: &'static str,
                range: &'a $crate::store::RowRange,
                limit: usize,
                continuation: Option<&'b $crate::store::Continuation>
            ) -> $crate::store::Result<$crate::store::Page>
        );
    };
    (@scan $inner:tt) => {
        $crate::store::pass_on!(
            @fn $inner scan<'a>(table: &'static str, continuation: Option<&'a $crate::store::Continuation>)
                -> $crate::store::Result<$crate::store::Page>
        );
    };
    (@ping $inner:tt) => {
        $crate::store::pass_on!(@fn $inner ping<>() -> $crate::store::Result<()>);
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
pub use __pass_on as pass_on;
