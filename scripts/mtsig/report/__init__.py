"""Tables, figures and the HTML page, from frames."""
