import { services } from './services.ts'

/** An image's address as an `img` needs it: the service may run on another origin. */
export const imageAddress = (url: string) => services.cedar.url + url
