// With ?api=<url>, the page sends its requests to another origin instead of the proxy.
const api = new URLSearchParams(location.search).get('api') ?? '/api'
const headers = { authorization: 'Bearer ada-token' }

async function list() {
  const response = await fetch(`${api}/insights`, { headers })
  if (!response.ok) return void (document.querySelector('p').textContent = `Failed: ${response.status}`)
  const items = (await response.json()).map(({ id }) =>
    Object.assign(document.createElement('li'), { textContent: id }),
  )
  document.querySelector('ul').replaceChildren(...items)
}
document.querySelector('button').onclick = async () => {
  await fetch(`${api}/insights/${document.querySelector('li').textContent}`, { method: 'DELETE', headers })
  await list()
}
await list()
