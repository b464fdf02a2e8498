/** Sends a request as a page does: jsdom has no fetch. Resolves with the status. */
exports.send = (method, url) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    request.setRequestHeader('authorization', 'Bearer ada-token')
    request.onload = () => resolve(request.status)
    request.onerror = () => reject(new Error(`${method} ${url} failed`))
    request.send()
  })
