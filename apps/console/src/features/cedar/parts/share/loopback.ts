/** Whether a URL names the machine that opens it, so that no other machine can open it. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
