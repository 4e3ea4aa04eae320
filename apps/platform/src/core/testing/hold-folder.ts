import { lockFolder } from '../folder-lock.ts'

// A process that takes the folder given, says so, and stays until it is killed.
try {
  await lockFolder(String(process.argv[2]))
  console.log('holds')
  setInterval(() => {}, 1000)
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error)
}
