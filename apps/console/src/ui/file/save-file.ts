/** Gives the reader a file to keep, under its name. */
export function saveFile(blob: Blob, fileName: string) {
  const url = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = fileName
  anchor.click()
  // The browser has taken hold of the blob by the next turn; Safari needs a little longer.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
