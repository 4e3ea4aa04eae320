// The baseline of sending: a loop that posts the same body over the same number of connections.
import http from 'node:http'

const { TO = '', COUNT = '', CONNECTIONS = '', BODY = '' } = process.env
const connections = Number(CONNECTIONS)
const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
const headers = {
  'content-type': 'application/json',
  authorization: 'Bearer token',
  'content-length': Buffer.byteLength(BODY),
}

const post = () =>
  new Promise<void>((resolve, reject) => {
    const request = http.request(TO, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    request.on('error', reject)
    request.end(BODY)
  })

let left = Number(COUNT)
const started = performance.now()
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (left-- > 0) await post()
  }),
)
console.log(`Bare loop: ${(performance.now() - started).toFixed(1)}`)
agent.destroy()
