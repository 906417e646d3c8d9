// As much of Node as the test of the client needs.
declare const process: { argv: string[]; version: string };
declare module 'node:net' {
  interface Socket {
    on(event: string, then: (data: Uint8Array) => void): Socket;
    pipe(to: Socket): Socket;
    write(data: Uint8Array): void;
    destroy(): void;
  }
  interface AddressInfo {
    port: number;
  }
  interface Server {
    listen(port: number, host: string, then: () => void): void;
    address(): unknown;
    close(): void;
  }
  function createServer(each: (client: Socket) => void): Server;
  function connect(port: number, host: string): Socket;
  const net: { createServer: typeof createServer; connect: typeof connect };
  export default net;
  export { AddressInfo };
}
declare module 'node:assert/strict' {
  const assert: {
    equal(a: unknown, b: unknown): void;
    deepEqual(a: unknown, b: unknown): void;
    ok(value: unknown, why?: string): asserts value;
    rejects(promise: Promise<unknown>, how: (error: unknown) => boolean): Promise<void>;
  };
  export default assert;
}
