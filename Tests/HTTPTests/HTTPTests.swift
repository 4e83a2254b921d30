@testable import HTTP
