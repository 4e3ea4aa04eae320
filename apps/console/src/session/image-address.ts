import { services } from './services.ts'

/** An image's URL for an `img`: the service may run on another origin. */
export const imageAddress = (url: string) => services.cedar.url + url
