import { sql, type RawBuilder } from 'kysely'

/** The service provider of an event about an element. */
export const ofElement = (cplc: RawBuilder<unknown>) => ({
  service_id: sql`(select service_id from maple.element where cplc = ${cplc})`,
})

/** A subject that may be something else than a UUID: null then. `case` would be no guard for a constant. */
export const ofUuid = (subject: RawBuilder<unknown>) =>
  sql`substring(${subject} from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid`
