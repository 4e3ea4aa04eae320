import { saveFile } from './save-file.ts'

export const saveJson = (value: unknown, fileName: string) =>
  saveFile(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }), fileName)
