import { lockFolder } from '../folder-lock.ts'

// Locks the given folder, reports it, and stays until it is killed.
try {
  await lockFolder(String(process.argv[2]))
  console.log('holds')
  setInterval(() => {}, 1000)
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error)
}
