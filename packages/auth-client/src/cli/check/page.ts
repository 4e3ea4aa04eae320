/** Browsers trust these without TLS (W3C Secure Contexts §3.1). */
export const isLoopback = ({ hostname }: URL) =>
  /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost|.+\.localhost)$/.test(hostname)

export const isSecure = (url: URL) => url.protocol === 'https:' || isLoopback(url)
