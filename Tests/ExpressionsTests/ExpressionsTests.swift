@testable import Expressions
