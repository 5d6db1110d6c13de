# format, tidy, layer and header checks as tests
