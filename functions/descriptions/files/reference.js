// Shows the description of the API that serves this page. A login tried on the page fills in its token for the other
// operations.
const ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  responseInterceptor: (response) => {
    const isLogin = response.ok && new URL(response.url).pathname.endsWith('/login')
    if (isLogin) {
      ui.preauthorizeApiKey('accessToken', response.body?.token ?? response.obj?.token)
      ui.preauthorizeApiKey('key', response.body?.key ?? response.obj?.key)
    }
    return response
  },
})
