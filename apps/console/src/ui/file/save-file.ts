/** Saves a file under its name through the browser. */
export function saveFile(blob: Blob, fileName: string) {
  const url = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = fileName
  anchor.click()
  // The browser has read the blob by the next task; Safari needs a little longer.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
