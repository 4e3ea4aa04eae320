import { api } from '../../../session/api.ts'

export const scp11Path = '/api/maple/se/scp11'

/** What can open an element by SCP11. */
export const credentialsQuery = (cplc: string) => api.maple.query(scp11Path, { query: { cplc } })
