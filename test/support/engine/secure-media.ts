/** Encrypted sound of phones of the tests: SRTP with keys in the SDP, and the WebRTC of a browser. */
import type { Page } from 'playwright-core'
import type { Media } from './media-phone.ts'
import { aWhile, openSoundStream } from './sound-stream.ts'
import { openSrtpRelay } from './srtp-relay.ts'

/** Opens SRTP on the loopback address; it offers nothing else, and takes no plain packet for sound. */
export async function openSrtpMedia(): Promise<Media> {
  const [stream, relay] = [await openSoundStream('127.0.0.1'), await openSrtpRelay()]
  const sdp = () =>
    [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      `m=audio ${relay.port} RTP/SAVP 0`,
      'a=rtpmap:0 PCMU/8000',
      relay.crypto,
      '',
    ].join('\r\n')
  const connect = (other: string) => {
    relay.connect(stream.port, other)
    stream.sendTo('127.0.0.1', relay.plainPort)
  }
  return {
    offer: async () => sdp(),
    accept: async (other) => connect(other),
    answer: async (other) => {
      connect(other)
      return sdp()
    },
    sing: async (hz) => stream.sing(hz),
    hear: (hz) => stream.hear(aWhile, hz),
    close: async () => {
      await stream.close()
      await relay.close()
    },
  }
}

/** What a page has for one call: its connection, a tone that it sends, and the loudest frequency that it hears. */
const script = `globalThis.openMedia = (name) => {
  const sound = new AudioContext()
  const tone = new OscillatorNode(sound, { frequency: 0 })
  const sent = new MediaStreamAudioDestinationNode(sound)
  const heard = new AnalyserNode(sound, { fftSize: 4096 })
  tone.connect(sent)
  tone.start()
  const peer = new RTCPeerConnection()
  peer.addTrack(sent.stream.getAudioTracks()[0], sent.stream)
  peer.ontrack = ({ streams: [stream] }) => {
    // Chromium decodes the track of a peer only while an element plays it.
    const element = new Audio()
    element.srcObject = stream
    element.muted = true
    void element.play()
    new MediaStreamAudioSourceNode(sound, { mediaStream: stream }).connect(heard)
  }
  const whole = async (description) => {
    await peer.setLocalDescription(description)
    if (peer.iceGatheringState !== 'complete')
      await new Promise((resolve) => peer.addEventListener('icegatheringstatechange', () => {
        if (peer.iceGatheringState === 'complete') resolve()
      }))
    return peer.localDescription.sdp
  }
  globalThis[name] = {
    offer: () => whole(),
    accept: (sdp) => peer.setRemoteDescription({ type: 'answer', sdp }),
    answer: async (sdp) => {
      await peer.setRemoteDescription({ type: 'offer', sdp })
      return whole()
    },
    sing: (hz) => { tone.frequency.value = hz },
    loudest: () => {
      const levels = new Float32Array(heard.frequencyBinCount)
      heard.getFloatFrequencyData(levels)
      const at = levels.reduce((best, level, index) => (level > levels[best] ? index : best), 0)
      return levels[at] > -60 ? (at * sound.sampleRate) / heard.fftSize : 0
    },
    close: async () => { peer.close(); await sound.close() },
  }
}`

let made = 0

/** Opens the WebRTC of a page: DTLS-SRTP with the codecs, candidates and fingerprints that the browser offers. */
export async function openBrowserMedia(
  page: Page,
  until: (isHeard: () => Promise<boolean>) => Promise<unknown>,
): Promise<Media> {
  made += 1
  const name = `media${made}`
  await page.evaluate(`${script}; openMedia('${name}')`)
  const ask = <Answer>(method: string, value?: string | number) =>
    page.evaluate<Answer>(`${name}.${method}(${JSON.stringify(value) ?? ''})`)
  return {
    offer: () => ask('offer'),
    accept: (sdp) => ask('accept', sdp),
    answer: (sdp) => ask('answer', sdp),
    sing: (hz) => ask('sing', hz),
    hear: async (hz) => void (await until(async () => Math.abs((await ask<number>('loudest')) - hz) < 25)),
    close: () => ask('close'),
  }
}
