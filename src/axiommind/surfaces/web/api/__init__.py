"""The JSON of the web app, for programs: values of the library as they are, typed by their own annotations, and an
OpenAPI description made of both. Reading only; what writes is a form and a person's."""
