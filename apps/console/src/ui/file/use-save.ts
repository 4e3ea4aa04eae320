import { useAttempt } from '../toast/use-attempt.ts'
import { saveFile } from './save-file.ts'

interface Downloaded {
  blob: Blob
  fileName?: string | undefined
}

/** Downloads a file and saves it under its name, or under `name` if the service gives none. */
export function useSave() {
  const attempt = useAttempt()
  return (download: () => Promise<Downloaded>, name: string) =>
    attempt(async () => {
      const { blob, fileName = name } = await download()
      saveFile(blob, fileName)
    })
}
