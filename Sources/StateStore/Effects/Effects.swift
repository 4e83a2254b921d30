/// Where a feature talks to the outside. The effects that it stores run while there is work for them in the state, and change it only as anybody
/// would: by performing actions.
///
/// What an effect sees is what is kept, in its space and in `common`: nothing goes outside on the strength of a commit that might yet be undone.
public protocol Effects {}
