// What no page needs until it is shown. All of its texts are in the catalogue `problems`.
import { queryClient } from '../api/query-client.ts'
import { auth } from '../session/auth.ts'
import { watchConnection } from './lost-connection.ts'
import './problem-texts.ts'
import { watchRefresh } from './slow-refresh.ts'

/** `leave` signs the reader out. */
export function startLater(leave: () => Promise<void>) {
  watchConnection(queryClient, () => auth.getState().status === 'refreshing')
  watchRefresh(auth, leave)
}
