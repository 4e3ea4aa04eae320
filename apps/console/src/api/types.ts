import type {
  BodyOf,
  Call,
  CallKey,
  FormOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
  ServiceName,
} from '@grove/contract/call'
import type { CallKeyOf, Calls } from '@grove/contract/calls'

export type { ServiceName }

export interface Service {
  url: string
  apiVersion: string
}
export type Services = Record<ServiceName, Service>

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type KeysOf<S extends ServiceName, M extends Method> = Extract<CallKeyOf<S>, `${M} ${string}`>

/** The paths of a service that support a method. */
export type PathOf<S extends ServiceName, M extends Method> =
  KeysOf<S, M> extends `${M} ${infer P}` ? P : never

type CallOf<M extends Method, P extends string> = `${M} ${P}` extends keyof Calls
  ? Calls[`${M} ${P}`] extends Call
    ? Calls[`${M} ${P}`]
    : never
  : never

/** A member that is required, optional or absent, as the schema says. */
type Member<K extends string, T> = [T] extends [undefined]
  ? { [key in K]?: undefined }
  : Record<string, never> extends T
    ? { [key in K]?: T }
    : { [key in K]: T }

/** What a call sends: its path parameters, query and body. */
export type InputOf<M extends Method, P extends string> = Member<'params', ParamsOf<CallOf<M, P>>> &
  Member<'query', QueryOf<CallOf<M, P>>> &
  Member<'body', BodyOf<CallOf<M, P>>>

export type OptionsOf<M extends Method, P extends string> = InputOf<M, P> & {
  signal?: AbortSignal
  /** The `revision` you read: the save is refused if someone else has saved since. */
  ifMatch?: number
}

export type AnswerOf<M extends Method, P extends string> = ResponseOf<CallOf<M, P>>

type UploadKey<S extends ServiceName> = {
  [K in CallKeyOf<S> & CallKey]: Calls[K] extends { form: object } ? K : never
}[CallKeyOf<S> & CallKey]
export type UploadPath<S extends ServiceName = ServiceName> =
  UploadKey<S> extends `POST ${infer P}` ? P : never
export type FormFieldsOf<P extends UploadPath> = FormOf<CallOf<'POST', P>>

/** Arguments can be omitted when none of them is required. */
export type OptionalArgument<O> = Record<string, never> extends O ? [options?: O] : [options: O]
