/// What alone may change the state of a feature. The actions that it stores are its actions, under their own names.
public protocol StateService {}
