/// What clients see of a feature. The observables that it stores are its views, under their own names.
public protocol ViewModel {}
