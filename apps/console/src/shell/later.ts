// What every page does without until it is shown. The texts of both are in the catalogue `problems`.
import { queryClient } from '../api/query-client.ts'
import { watchConnection } from './lost-connection.ts'
import './problem-texts.ts'

watchConnection(queryClient)
