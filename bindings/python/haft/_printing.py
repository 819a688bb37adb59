def text(t):
    return t._to_string()
